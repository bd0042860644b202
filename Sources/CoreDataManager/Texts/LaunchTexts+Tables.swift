extension LaunchTexts {
    /// The built-in tables, by language.
    static let builtIn = tables.merging(builtInOfServers) { $0.merging($1) { first, _ in first } }

    private static let tables: [String: [Key: String]] = [
        "de": german, "en": english, "es": spanish, "fr": french, "ja": japanese, "ru": russian, "zh": chinese,
    ]

    private static let english: [Key: String] = [
        .updating: "Your data is being brought up to date. This happens once after an update.",
        .updated: "Your data is up to date.",
        .rows: "%1$@ of %2$@ entries", .timeLeft: "about %1$@ left", .seconds: "%1$@ s", .minutes: "%1$@ min",
        .ok: "OK", .cancel: "Cancel", .retry: "Try again",
        .failureTitle: "Your data could not be opened.",
        .cancelledTitle: "The update of your data was stopped.",
        .dataKept: "Your data was kept.",
        .diskFull: "There is not enough free space. Delete something you no longer need, then try again.",
        .noPermission: "This app may not read or write its file. Check its permissions, then try again.",
        .busy: "Another program is using the data. Close it, then try again.",
        .unreachable: "Its file or folder cannot be reached. Check that the volume is there, then try again.",
        .damaged: "The file is damaged. Restore it from a backup, then try again.",
        .incompatible: "It was made by a version that this one cannot read. Install the newest version of this app.",
        .cancelled: "You can continue at any time.",
        .incompleteProgram: "This app lacks a part that it needs for your data. Install its newest version.",
        .other: "Something unexpected happened. Try again; if it happens again, restart the app.",
    ]

    private static let german: [Key: String] = [
        .updating: "Ihre Daten werden aktualisiert. Das geschieht einmal nach einem Update.",
        .updated: "Ihre Daten sind auf dem neuesten Stand.",
        .rows: "%1$@ von %2$@ Einträgen", .timeLeft: "noch etwa %1$@", .seconds: "%1$@ s", .minutes: "%1$@ min",
        .ok: "OK", .cancel: "Abbrechen", .retry: "Erneut versuchen",
        .failureTitle: "Ihre Daten konnten nicht geöffnet werden.",
        .cancelledTitle: "Die Aktualisierung Ihrer Daten wurde abgebrochen.",
        .dataKept: "Ihre Daten sind erhalten.",
        .diskFull:
            "Es ist nicht genug Speicherplatz frei. Löschen Sie, was Sie nicht brauchen, und versuchen Sie es erneut.",
        .noPermission: "Die App darf ihre Datei nicht lesen oder schreiben. Prüfen Sie die Zugriffsrechte.",
        .busy: "Ein anderes Programm benutzt die Daten. Schließen Sie es und versuchen Sie es erneut.",
        .unreachable:
            "Die Datei oder ihr Ordner ist nicht erreichbar. Prüfen Sie, ob das Laufwerk da ist, und versuchen Sie es erneut.",
        .damaged: "Die Datei ist beschädigt. Stellen Sie sie aus einer Sicherung wieder her.",
        .incompatible:
            "Sie stammen von einer Version, die diese nicht kennt. Installieren Sie die neueste Version der App.",
        .cancelled: "Sie können jederzeit fortfahren.",
        .incompleteProgram:
            "Der App fehlt ein Teil, den sie für Ihre Daten braucht. Installieren Sie ihre neueste Version.",
        .other: "Etwas Unerwartetes ist geschehen. Versuchen Sie es erneut, oder starten Sie die App neu.",
    ]

    private static let spanish: [Key: String] = [
        .updating: "Se están actualizando sus datos. Ocurre una sola vez después de una actualización.",
        .updated: "Sus datos están al día.",
        .rows: "%1$@ de %2$@ entradas", .timeLeft: "quedan unos %1$@", .seconds: "%1$@ s", .minutes: "%1$@ min",
        .ok: "Aceptar", .cancel: "Cancelar", .retry: "Reintentar",
        .failureTitle: "No se pudieron abrir sus datos.",
        .cancelledTitle: "Se detuvo la actualización de sus datos.",
        .dataKept: "Sus datos se han conservado.",
        .diskFull: "No hay espacio suficiente. Borre lo que ya no necesite y vuelva a intentarlo.",
        .noPermission: "La aplicación no puede leer o escribir su archivo. Revise los permisos.",
        .busy: "Otro programa está usando los datos. Ciérrelo y vuelva a intentarlo.",
        .unreachable:
            "No se puede acceder al archivo o a su carpeta. Compruebe que el disco está conectado y vuelva a intentarlo.",
        .damaged: "El archivo está dañado. Restáurelo desde una copia de seguridad.",
        .incompatible: "Proceden de una versión que esta no conoce. Instale la última versión de la aplicación.",
        .cancelled: "Puede continuar en cualquier momento.",
        .incompleteProgram:
            "A la aplicación le falta una parte que necesita para sus datos. Instale la última versión.",
        .other: "Ocurrió algo inesperado. Vuelva a intentarlo o reinicie la aplicación.",
    ]

    private static let french: [Key: String] = [
        .updating: "Vos données sont mises à jour. Cela n’arrive qu’une fois après une mise à jour.",
        .updated: "Vos données sont à jour.",
        .rows: "%1$@ entrées sur %2$@", .timeLeft: "encore %1$@ environ", .seconds: "%1$@ s", .minutes: "%1$@ min",
        .ok: "OK", .cancel: "Annuler", .retry: "Réessayer",
        .failureTitle: "Vos données n’ont pas pu être ouvertes.",
        .cancelledTitle: "La mise à jour de vos données a été arrêtée.",
        .dataKept: "Vos données sont conservées.",
        .diskFull: "L’espace libre ne suffit pas. Supprimez ce dont vous n’avez plus besoin, puis réessayez.",
        .noPermission: "L’application ne peut pas lire ou écrire son fichier. Vérifiez les autorisations.",
        .busy: "Un autre programme utilise les données. Fermez-le, puis réessayez.",
        .unreachable: "Le fichier ou son dossier est inaccessible. Vérifiez que le disque est présent, puis réessayez.",
        .damaged: "Le fichier est endommagé. Restaurez-le à partir d’une sauvegarde.",
        .incompatible: "Elles viennent d’une version que celle-ci ne connaît pas. Installez la dernière version.",
        .cancelled: "Vous pouvez continuer à tout moment.",
        .incompleteProgram:
            "Il manque à l’application une partie nécessaire à vos données. Installez la dernière version.",
        .other: "Un problème inattendu est survenu. Réessayez ou redémarrez l’application.",
    ]

    private static let russian: [Key: String] = [
        .updating: "Обновление данных. Это происходит один раз после обновления программы.",
        .updated: "Данные обновлены.",
        .rows: "записей: %1$@ из %2$@", .timeLeft: "осталось около %1$@", .seconds: "%1$@ с", .minutes: "%1$@ мин",
        .ok: "ОК", .cancel: "Отмена", .retry: "Повторить",
        .failureTitle: "Не удалось открыть данные.",
        .cancelledTitle: "Обновление данных остановлено.",
        .dataKept: "Ваши данные сохранены.",
        .diskFull: "Недостаточно свободного места. Удалите ненужное и повторите попытку.",
        .noPermission: "Программа не может прочитать или записать свой файл. Проверьте права доступа.",
        .busy: "Данные использует другая программа. Закройте её и повторите попытку.",
        .unreachable: "Файл или его папка недоступны. Проверьте, подключён ли диск, и повторите попытку.",
        .damaged: "Файл повреждён. Восстановите его из резервной копии.",
        .incompatible: "Их создала версия, которая этой неизвестна. Установите последнюю версию программы.",
        .cancelled: "Продолжить можно в любой момент.",
        .incompleteProgram: "В программе не хватает части, нужной для ваших данных. Установите её последнюю версию.",
        .other: "Произошло что-то непредвиденное. Повторите попытку или перезапустите программу.",
    ]

    private static let japanese: [Key: String] = [
        .updating: "データを更新しています。この処理はアップデート後に一度だけ行われます。",
        .updated: "データの更新が完了しました。",
        .rows: "%2$@件中%1$@件", .timeLeft: "残り約%1$@", .seconds: "%1$@秒", .minutes: "%1$@分",
        .ok: "OK", .cancel: "キャンセル", .retry: "再試行",
        .failureTitle: "データを開けませんでした。",
        .cancelledTitle: "データの更新を中止しました。",
        .dataKept: "データは失われていません。",
        .diskFull: "空き容量が足りません。不要なものを削除してから、もう一度お試しください。",
        .noPermission: "ファイルの読み書きが許可されていません。アクセス権を確認してください。",
        .busy: "ほかのプログラムがデータを使用中です。終了してから、もう一度お試しください。",
        .unreachable: "ファイルまたはフォルダにアクセスできません。ディスクが接続されているか確認して、もう一度お試しください。",
        .damaged: "ファイルが壊れています。バックアップから復元してください。",
        .incompatible: "このバージョンでは扱えないデータです。最新のバージョンをインストールしてください。",
        .cancelled: "いつでも再開できます。",
        .incompleteProgram: "データに必要なアプリの一部が見つかりません。最新のバージョンをインストールしてください。",
        .other: "予期しない問題が起きました。もう一度試すか、アプリを再起動してください。",
    ]

    private static let chinese: [Key: String] = [
        .updating: "正在更新您的数据。应用更新后只需进行一次。",
        .updated: "数据已更新完毕。",
        .rows: "第 %1$@ 条，共 %2$@ 条", .timeLeft: "大约还需 %1$@", .seconds: "%1$@ 秒", .minutes: "%1$@ 分钟",
        .ok: "好", .cancel: "取消", .retry: "重试",
        .failureTitle: "无法打开您的数据。",
        .cancelledTitle: "数据更新已停止。",
        .dataKept: "您的数据没有丢失。",
        .diskFull: "可用空间不足。请删除不需要的内容，然后重试。",
        .noPermission: "应用无法读写其文件。请检查访问权限。",
        .busy: "另一个程序正在使用这些数据。请关闭它，然后重试。",
        .unreachable: "无法访问文件或其文件夹。请检查磁盘是否已连接，然后重试。",
        .damaged: "文件已损坏。请从备份中恢复。",
        .incompatible: "数据来自此版本无法识别的版本。请安装最新版本的应用。",
        .cancelled: "您可以随时继续。",
        .incompleteProgram: "应用缺少处理您数据所需的部分。请安装最新版本的应用。",
        .other: "发生了意外情况。请重试或重新启动应用。",
    ]
}
