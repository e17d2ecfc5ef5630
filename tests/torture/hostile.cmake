# What strangers may send: limits, hostile bytes, hostile texts. reliability.tsv says which test shows which promise.
function(hostile_test name labels script)
  add_test(NAME torture.${name}
           COMMAND ${Python3_EXECUTABLE} -S -E -X "pycache_prefix=${CMAKE_BINARY_DIR}/pycache" "${CMAKE_CURRENT_SOURCE_DIR}/${script}" ${ARGN})
  set_tests_properties(torture.${name} PROPERTIES LABELS "${labels}" TIMEOUT 600)
  ice_sampled_tests(torture.${name}) # and a sanitizer's own memory is beyond any limit
endfunction()

# Every row of the table of limits at N, N + 1 and 100 N.
add_executable(limited_check limited_check.c)
target_link_libraries(limited_check PRIVATE icefsck_static)
hostile_test(limits "quick;torture" limits.py $<TARGET_FILE:limited_check> "${CMAKE_CURRENT_BINARY_DIR}/limits")

if(NOT ICE_SANITIZE) # which valgrind does not run
  hostile_test(limits-work torture limits.py $<TARGET_FILE:limited_check> "${CMAKE_CURRENT_BINARY_DIR}/limits-work" work)
  set_tests_properties(torture.limits-work PROPERTIES SKIP_RETURN_CODE 77)
endif()

# No network, no other program, no write but where it is told.
if(TARGET icefsck AND CMAKE_SYSTEM_NAME STREQUAL "Linux" AND NOT ICE_SANITIZE) # a leak checker cannot be traced
  hostile_test(quiet "quick;torture" quiet.py $<TARGET_FILE:icefsck> "${CMAKE_CURRENT_BINARY_DIR}/quiet")
endif()

# Avro that other readers die of, hang on or misread.
foreach(part values containers bombs cuts)
  hostile_test(avro-${part} torture hostile_avro.py $<TARGET_FILE:limited_check> "${CMAKE_CURRENT_BINARY_DIR}/avro-${part}" ${part})
endforeach()

# JSON that readers disagree about.
foreach(part cases cuts)
  hostile_test(json-${part} torture hostile_json.py $<TARGET_FILE:limited_check> "${CMAKE_CURRENT_BINARY_DIR}/json-${part}" ${part})
endforeach()

# Walks without end, sums too large, impossible dates, types and bounds.
hostile_test(graph torture hostile_graph.py $<TARGET_FILE:limited_check> "${CMAKE_CURRENT_BINARY_DIR}/graph")

# One hostile text in every place of a table and of every other input, in every format.
if(TARGET icefsck)
  foreach(part checks metadata avro rows names words inputs configuration)
    hostile_test(injection-${part} torture injection.py $<TARGET_FILE:icefsck> "${CMAKE_CURRENT_BINARY_DIR}/injection-${part}" test_${part})
    ice_served_tests(torture.injection-${part})
  endforeach()
endif()
