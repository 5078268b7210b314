#ifndef SATCHEL_CBLUETOOTH_H
#define SATCHEL_CBLUETOOTH_H

/* The kernel's Bluetooth socket ABI: constants and structures of the headers only. The library behind them is neither
   linked nor needed. */
#include <sys/socket.h>
#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>

#endif
