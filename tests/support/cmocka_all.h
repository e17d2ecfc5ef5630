/*
 * cmocka wants these in front of itself.
 */
#ifndef ICE_TESTS_SUPPORT_CMOCKA_ALL_H
#define ICE_TESTS_SUPPORT_CMOCKA_ALL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#endif
