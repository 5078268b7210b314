/* Asks the kernel about its Bluetooth adapters, for the kernel test and for nothing else.

   hciprobe up|down hciN    brings an adapter up for the kernel's own use, or down
   hciprobe bind hciN       binds its user channel, resets the controller, and says so
   hciprobe hold hciN       the same, and then waits until the adapter is lost
   hciprobe now             prints the time in milliseconds since 1970

   Prints what happened; exit status 1 and the name of the error when it did not. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>

static int fail(const char *what) {
    printf("%s: %s\n", what, strerrorname_np(errno));
    return 1;
}

static int set_up(unsigned adapter, int up) {
    int control = socket(AF_BLUETOOTH, SOCK_RAW | SOCK_CLOEXEC, BTPROTO_HCI);
    if (control < 0) return fail("socket");
    if (ioctl(control, up ? HCIDEVUP : HCIDEVDOWN, adapter) < 0 && !(up && errno == EALREADY)) return fail("ioctl");
    printf("%s\n", up ? "up" : "down");
    return 0;
}

/* Waits for the Command Complete event of the reset. */
static int reset(int channel) {
    static const unsigned char command[] = {1, 0x03, 0x0C, 0};
    unsigned char event[260];
    struct pollfd entry = {.fd = channel, .events = POLLIN};
    if (write(channel, command, sizeof command) != sizeof command) return -1;
    while (poll(&entry, 1, 5000) == 1) {
        ssize_t length = read(channel, event, sizeof event);
        if (length < 0) return -1;
        if (length >= 7 && event[0] == 4 && event[1] == 0x0E && event[4] == 0x03 && event[5] == 0x0C) return event[6];
    }
    errno = ETIMEDOUT;
    return -1;
}

static int bind_channel(unsigned adapter, int holds) {
    struct sockaddr_hci address = {.hci_family = AF_BLUETOOTH, .hci_dev = adapter, .hci_channel = HCI_CHANNEL_USER};
    struct pollfd entry = {.events = POLLIN};
    unsigned char packet[1024];
    int channel = socket(AF_BLUETOOTH, SOCK_RAW | SOCK_CLOEXEC, BTPROTO_HCI);
    if (channel < 0) return fail("socket");
    if (bind(channel, (struct sockaddr *)&address, sizeof address) < 0) return fail("bind");
    if (reset(channel) != 0) return fail("reset");
    printf("bound\n");
    fflush(stdout);
    for (entry.fd = channel; holds;) {
        if (poll(&entry, 1, -1) < 0) return fail("poll");
        if (read(channel, packet, sizeof packet) >= 0) continue;
        printf("lost: %s%s\n", strerrorname_np(errno), entry.revents & POLLERR ? " and POLLERR" : "");
        return 0;
    }
    return 0;
}

static int print_time(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    printf("%lld\n", now.tv_sec * 1000LL + now.tv_nsec / 1000000);
    return 0;
}

int main(int count, char **words) {
    unsigned adapter;
    if (count == 2 && !strcmp(words[1], "now")) return print_time();
    if (count != 3 || sscanf(words[2], "hci%u", &adapter) != 1) return 64;
    if (!strcmp(words[1], "up") || !strcmp(words[1], "down")) return set_up(adapter, !strcmp(words[1], "up"));
    if (!strcmp(words[1], "bind") || !strcmp(words[1], "hold")) return bind_channel(adapter, words[1][0] == 'h');
    return 64;
}
