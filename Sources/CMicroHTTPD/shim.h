#ifndef OPENCOREDATA_CMICROHTTPD_SHIM_H
#define OPENCOREDATA_CMICROHTTPD_SHIM_H

#include <microhttpd.h>
#include <netinet/in.h>
#include <string.h>

/* Functions with a variable number of arguments, which Swift cannot call. */

/* Starts a server on the loopback address, with a thread for each connection. NULL where the port is taken. */
static inline struct MHD_Daemon *_Nullable opencoredata_start_server(
    uint16_t port, unsigned int connections, unsigned int seconds, size_t memory,
    MHD_AccessHandlerCallback _Nonnull handler, MHD_RequestCompletedCallback _Nonnull completed,
    MHD_NotifyConnectionCallback _Nonnull connected,
    void *_Nullable (*_Nonnull began)(void *_Nullable, const char *_Nonnull, struct MHD_Connection *_Nonnull),
    void *_Nullable context) {
    struct sockaddr_in address;
    memset(&address, 0, sizeof address);
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return MHD_start_daemon(
        MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_ITC, port, NULL, NULL, handler, context,
        MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address, MHD_OPTION_CONNECTION_LIMIT, connections,
        MHD_OPTION_CONNECTION_TIMEOUT, seconds, MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory,
        MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_NOTIFY_COMPLETED, completed, context,
        MHD_OPTION_NOTIFY_CONNECTION, connected, context, MHD_OPTION_URI_LOG_CALLBACK, began, context, MHD_OPTION_END);
}

/* The port that a server listens on; 0 where nobody knows. */
static inline uint16_t opencoredata_server_port(struct MHD_Daemon *_Nonnull daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
    return info ? info->port : 0;
}

/* The socket of a connection; -1 where there is none. */
static inline int opencoredata_connection_socket(struct MHD_Connection *_Nonnull connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

#endif
