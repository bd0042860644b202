extension LaunchTexts {
    /// The texts of the built-in tables for failures of a server.
    static let builtInOfServers: [String: [Key: String]] = [
        "de": germanOfServers, "en": englishOfServers, "es": spanishOfServers, "fr": frenchOfServers,
        "ja": japaneseOfServers, "ru": russianOfServers, "zh": chineseOfServers,
    ]

    private static let englishOfServers: [Key: String] = [
        .serverUnreachable: "The server with your data cannot be reached. Check the network, then try again.",
        .serverAddressWrong:
            "The address of the server with your data has a mistake. Ask its administrator.",
        .passwordRefused: "The server refuses the user name or the password. Check them, then try again.",
        .certificateNotTrusted:
            "The server cannot prove its identity: its certificate is not trusted. Ask its administrator.",
        .databaseReadOnly: "The server lets your data only be read at the moment. Try again later.",
        .databaseNotPermitted:
            "The server does not let this user read or change the data. Ask its administrator, then try again.",
        .migratedByAnother:
            "Another program is bringing your data up to date. Wait until it is done, then try again.",
        .serverFull: "The server has no room left. Try again later, or ask its administrator.",
    ]

    private static let germanOfServers: [Key: String] = [
        .serverUnreachable:
            "Der Server mit Ihren Daten ist nicht erreichbar. Prüfen Sie das Netzwerk und versuchen Sie es erneut.",
        .serverAddressWrong:
            "Die Adresse des Servers mit Ihren Daten enthält einen Fehler. Fragen Sie, wer das Programm eingerichtet hat.",
        .passwordRefused:
            "Der Server weist Benutzernamen oder Passwort zurück. Prüfen Sie beide und versuchen Sie es erneut.",
        .certificateNotTrusted:
            "Der Server kann sich nicht ausweisen: Seinem Zertifikat wird nicht vertraut. Fragen Sie seinen Administrator.",
        .databaseReadOnly: "Der Server lässt Ihre Daten zurzeit nur lesen. Versuchen Sie es später erneut.",
        .databaseNotPermitted:
            "Der Server lässt diesen Benutzer die Daten nicht lesen oder ändern. Fragen Sie seinen Administrator.",
        .migratedByAnother:
            "Ein anderes Programm aktualisiert Ihre Daten. Warten Sie, bis es fertig ist, und versuchen Sie es erneut.",
        .serverFull:
            "Der Server ist ausgelastet oder voll. Versuchen Sie es später erneut, oder fragen Sie seinen Administrator.",
    ]

    private static let spanishOfServers: [Key: String] = [
        .serverUnreachable: "No se puede acceder al servidor de sus datos. Compruebe la red y vuelva a intentarlo.",
        .serverAddressWrong:
            "La dirección del servidor de sus datos contiene un error. Consulte a quien configuró el programa.",
        .passwordRefused: "El servidor rechaza el usuario o la contraseña. Compruébelos y vuelva a intentarlo.",
        .certificateNotTrusted:
            "El servidor no puede acreditar su identidad: su certificado no es de confianza. Consulte a su administrador.",
        .databaseReadOnly: "El servidor solo permite leer sus datos en este momento. Vuelva a intentarlo más tarde.",
        .databaseNotPermitted:
            "El servidor no permite a este usuario leer o modificar los datos. Consulte a su administrador.",
        .migratedByAnother: "Otro programa está actualizando sus datos. Espere a que termine y vuelva a intentarlo.",
        .serverFull: "El servidor no tiene más espacio. Vuelva a intentarlo más tarde o consulte a su administrador.",
    ]

    private static let frenchOfServers: [Key: String] = [
        .serverUnreachable: "Le serveur de vos données est inaccessible. Vérifiez le réseau, puis réessayez.",
        .serverAddressWrong:
            "L’adresse du serveur de vos données contient une erreur. Consultez la personne qui a configuré le programme.",
        .passwordRefused: "Le serveur refuse l’utilisateur ou le mot de passe. Vérifiez-les, puis réessayez.",
        .certificateNotTrusted:
            "Le serveur ne peut pas prouver son identité : son certificat n’est pas fiable. Consultez son administrateur.",
        .databaseReadOnly: "Le serveur ne permet que la lecture de vos données pour le moment. Réessayez plus tard.",
        .databaseNotPermitted:
            "Le serveur ne permet pas à cet utilisateur de lire ou de modifier les données. Adressez-vous à son administrateur.",
        .migratedByAnother: "Un autre programme met vos données à jour. Attendez qu’il ait terminé, puis réessayez.",
        .serverFull: "Le serveur n’a plus de place. Réessayez plus tard ou consultez son administrateur.",
    ]

    private static let russianOfServers: [Key: String] = [
        .serverUnreachable: "Сервер с вашими данными недоступен. Проверьте сеть и повторите попытку.",
        .serverAddressWrong:
            "В адресе сервера с вашими данными есть ошибка. Обратитесь к тому, кто настроил программу.",
        .passwordRefused: "Сервер отклоняет имя пользователя или пароль. Проверьте их и повторите попытку.",
        .certificateNotTrusted:
            "Сервер не может подтвердить свою подлинность: его сертификат не является доверенным. Обратитесь к администратору.",
        .databaseReadOnly: "Сервер сейчас разрешает только чтение данных. Повторите попытку позже.",
        .databaseNotPermitted:
            "Сервер не разрешает этому пользователю читать или изменять данные. Обратитесь к администратору.",
        .migratedByAnother: "Данные обновляет другая программа. Дождитесь окончания и повторите попытку.",
        .serverFull: "На сервере не осталось места. Повторите попытку позже или обратитесь к администратору.",
    ]

    private static let japaneseOfServers: [Key: String] = [
        .serverUnreachable: "データのサーバに接続できません。ネットワークを確認して、もう一度お試しください。",
        .serverAddressWrong: "データのサーバのアドレスに誤りがあります。プログラムを設定した人に問い合わせてください。",
        .passwordRefused: "サーバがユーザ名またはパスワードを拒否しました。確認して、もう一度お試しください。",
        .certificateNotTrusted: "サーバの証明書が信頼されていません。管理者に問い合わせてから、もう一度お試しください。",
        .databaseReadOnly: "サーバのデータは現在読み取り専用です。後でもう一度お試しください。",
        .databaseNotPermitted:
            "サーバはこのユーザによるデータの読み取りや変更を許可していません。管理者にお問い合わせください。",
        .migratedByAnother: "ほかのプログラムがデータを更新中です。終了を待って、もう一度お試しください。",
        .serverFull: "サーバに空きがありません。後でもう一度試すか、管理者に問い合わせてください。",
    ]

    private static let chineseOfServers: [Key: String] = [
        .serverUnreachable: "无法连接数据所在的服务器。请检查网络，然后重试。",
        .serverAddressWrong: "数据所在服务器的地址有误。请咨询设置此程序的人。",
        .passwordRefused: "服务器拒绝了用户名或密码。请检查，然后重试。",
        .certificateNotTrusted: "服务器的证书不受信任。请咨询管理员，然后重试。",
        .databaseReadOnly: "服务器目前只允许读取数据。请稍后重试。",
        .databaseNotPermitted: "服务器不允许此用户读取或更改数据。请联系管理员。",
        .migratedByAnother: "另一个程序正在更新您的数据。请等待其完成，然后重试。",
        .serverFull: "服务器没有剩余空间。请稍后重试，或咨询管理员。",
    ]
}
