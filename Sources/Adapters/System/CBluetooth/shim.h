#ifndef SATCHEL_CBLUETOOTH_H
#define SATCHEL_CBLUETOOTH_H

/* The kernel's Bluetooth socket ABI: constants and structures of the headers only. The library behind them is neither
   linked nor needed. */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>

/* What the kernel knows of adapter `index`; needs no privilege. ioctl(2) is variadic and its numbers are macros, which
   Swift does not import. Returns 0, or -1 with errno set. */
static inline int bluetooth_device_info(int descriptor, uint16_t index, struct hci_dev_info *info) {
    memset(info, 0, sizeof *info);
    info->dev_id = index;
    return ioctl(descriptor, HCIGETDEVINFO, (void *)info);
}

/* Sets the speed of a serial port, in bits a second, to any number that its driver can make, and returns the speed that
   the driver chose, or -1 with errno set.

   The kernel's interface for that is struct termios2, whose header cannot be included beside glibc's <termios.h>: both
   define struct termios. The layout below is the one that the kernel's asm-generic headers give to x86, ARM, RISC-V and
   s390; elsewhere the answer is ENOSYS. */
#if defined(__x86_64__) || defined(__i386__) || defined(__aarch64__) || defined(__arm__) || defined(__riscv) || \
    defined(__s390__)
struct satchel_termios2 {
    unsigned int input_flags, output_flags, control_flags, local_flags;
    unsigned char line, characters[19];
    unsigned int input_speed, output_speed;
};

static inline int64_t serial_set_speed(int descriptor, uint32_t speed) {
    const unsigned long get = _IOR('T', 0x2A, struct satchel_termios2), set = _IOW('T', 0x2B, struct satchel_termios2);
    /* CBAUD, the same bits for the input (CIBAUD), and BOTHER: the speed is the number in the structure. */
    const unsigned int output_mask = 0x100F, input_mask = output_mask << 16, other = 0x1000;
    struct satchel_termios2 state;
    if (ioctl(descriptor, get, &state) != 0) return -1;
    state.control_flags &= ~(output_mask | input_mask);
    state.control_flags |= other | other << 16;
    state.input_speed = state.output_speed = speed;
    if (ioctl(descriptor, set, &state) != 0 || ioctl(descriptor, get, &state) != 0) return -1;
    return state.output_speed;
}
#else
static inline int64_t serial_set_speed(int descriptor, uint32_t speed) {
    (void)descriptor, (void)speed;
    errno = ENOSYS;
    return -1;
}
#endif

#endif
