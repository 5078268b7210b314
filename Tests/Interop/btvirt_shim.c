/* Preloaded into btvirt, BlueZ's Bluetooth emulator, so that the tests can use it anywhere:

   - without AF_ALG in the kernel btvirt drops every client: it gets a socket that answers nothing instead, and cannot
     encrypt then, which bitchat does not ask for;
   - its server sockets have fixed names in /tmp, so only one could run: they go to the folder SATCHEL_BTVIRT_DIR;
   - it says READY on standard output when the last of the sockets listens;
   - it ends with the process that started it, which may have been killed and could not tell.

   gcc -shared -fPIC -O1 -o btvirt_shim.so btvirt_shim.c -ldl */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define SERVERS "/tmp/bt-server-"
#define LAST_SERVER SERVERS "mon"

static int last_server = -1;

static const char *folder(void) {
    const char *folder = getenv("SATCHEL_BTVIRT_DIR");
    return folder ? folder : "/tmp";
}

int socket(int domain, int type, int protocol) {
    int (*next)(int, int, int) = dlsym(RTLD_NEXT, "socket");
    if (domain == AF_ALG) return next(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    return next(domain, type, protocol);
}

int bind(int descriptor, const struct sockaddr *address, socklen_t length) {
    int (*next)(int, const struct sockaddr *, socklen_t) = dlsym(RTLD_NEXT, "bind");
    const struct sockaddr_un *name = (const struct sockaddr_un *)address;
    if (address->sa_family == AF_ALG) return 0;
    if (address->sa_family == AF_UNIX && !strncmp(name->sun_path, SERVERS, strlen(SERVERS))) {
        struct sockaddr_un moved = {.sun_family = AF_UNIX};
        int needed = snprintf(moved.sun_path, sizeof moved.sun_path, "%s%s", folder(), name->sun_path + strlen("/tmp"));
        if (needed >= (int)sizeof moved.sun_path) return -1;
        if (!strcmp(name->sun_path, LAST_SERVER)) last_server = descriptor;
        return next(descriptor, (const struct sockaddr *)&moved, sizeof moved);
    }
    return next(descriptor, address, length);
}

int listen(int descriptor, int backlog) {
    int (*next)(int, int) = dlsym(RTLD_NEXT, "listen");
    int result = next(descriptor, backlog);
    /* Not printf: btvirt's own output waits in the buffer until it ends. */
    if (result == 0 && descriptor == last_server && write(STDOUT_FILENO, "READY\n", 6) != 6) return -1;
    return result;
}

int unlink(const char *path) {
    int (*next)(const char *) = dlsym(RTLD_NEXT, "unlink");
    /* The folder is new; what lies in /tmp belongs to somebody else. */
    return strncmp(path, SERVERS, strlen(SERVERS)) ? next(path) : 0;
}

static void *end_with_parent(void *parent) {
    while (getppid() == (pid_t)(long)parent) sleep(1);
    _exit(0);
}

__attribute__((constructor)) static void watch_parent(void) {
    pthread_t watch;
    if (pthread_create(&watch, NULL, end_with_parent, (void *)(long)getppid()) == 0) pthread_detach(watch);
}
