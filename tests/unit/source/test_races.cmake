# The test wraps calls of the C library and asks dlsym for the real ones
target_link_libraries(test_races PRIVATE ${CMAKE_DL_LIBS})
