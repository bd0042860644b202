#ifndef WEBSERVICE_CHTTPD_SHIM_H
#define WEBSERVICE_CHTTPD_SHIM_H

#include <arpa/inet.h>
#include <microhttpd.h>
#include <poll.h>
#include <sys/socket.h>

/* Swift cannot call functions with a variable number of arguments. A connection on which nothing moves is closed after
   the seconds. */
static inline struct MHD_Daemon *_Nullable webservice_listen(
    uint16_t port, unsigned seconds, MHD_AccessHandlerCallback _Nonnull answer,
    MHD_RequestCompletedCallback _Nonnull ended, void *_Nullable context) {
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    return MHD_start_daemon(
        MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_ITC, port, NULL, NULL, answer,
        context, MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address, MHD_OPTION_NOTIFY_COMPLETED, ended, context,
        MHD_OPTION_CONNECTION_LIMIT, 64u, MHD_OPTION_CONNECTION_TIMEOUT, seconds, MHD_OPTION_END);
}

/* The port that was chosen; 0 where it is not known. */
static inline uint16_t webservice_port(struct MHD_Daemon *_Nonnull daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
    return info ? info->port : 0;
}

static inline int webservice_socket(struct MHD_Connection *_Nullable connection) {
    const union MHD_ConnectionInfo *info =
        connection ? MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD) : NULL;
    return info ? info->connect_fd : -1;
}

/* The kernel keeps only so many bytes for a client that does not read them. */
static inline void webservice_bound_sending(struct MHD_Connection *_Nonnull connection, int bytes) {
    setsockopt(webservice_socket(connection), SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes);
}

#ifndef POLLRDHUP
#define POLLRDHUP 0x2000
#endif

/* Waits until a pipe has a byte: 1; until the client has closed the connection: -1; until the time is over: 0. */
static inline int webservice_wait(int pipe, struct MHD_Connection *_Nullable connection, int milliseconds) {
    struct pollfd places[] = {
        {.fd = pipe, .events = POLLIN}, {.fd = webservice_socket(connection), .events = POLLRDHUP}};
    if (poll(places, 2, milliseconds) <= 0) return 0;
    return places[1].revents ? -1 : 1;
}

#endif
