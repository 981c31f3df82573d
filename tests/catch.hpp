// Catch2, version 2 (Debian 12) or 3 (Debian 13). Tests use what both have, and include only this.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif
