// The main function of the test programs with Catch2 version 2; version 3 brings its own.
#define CATCH_CONFIG_MAIN
#include "catch.hpp"
