include("${CMAKE_CURRENT_SOURCE_DIR}/unit/rule/rule_test.cmake")
