#ifndef WEBSERVICE_CHTTPD_SHIM_H
#define WEBSERVICE_CHTTPD_SHIM_H

#include <arpa/inet.h>
#include <microhttpd.h>

/* Swift cannot call functions with a variable number of arguments. */
static inline struct MHD_Daemon *_Nullable webservice_listen(
    uint16_t port, MHD_AccessHandlerCallback _Nonnull answer, MHD_RequestCompletedCallback _Nonnull ended,
    void *_Nullable context) {
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    return MHD_start_daemon(
        MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_ITC, port, NULL, NULL, answer,
        context, MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address, MHD_OPTION_NOTIFY_COMPLETED, ended, context,
        MHD_OPTION_CONNECTION_LIMIT, 64u, MHD_OPTION_CONNECTION_TIMEOUT, 30u, MHD_OPTION_END);
}

/* The port that was chosen; 0 where nobody knows. */
static inline uint16_t webservice_port(struct MHD_Daemon *_Nonnull daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
    return info ? info->port : 0;
}

#endif
