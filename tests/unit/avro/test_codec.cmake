# The test packs with the codecs that are built in
if(ICE_WITH_BZIP2)
  target_compile_definitions(test_codec PRIVATE ICE_WITH_BZIP2=1)
endif()
if(ICE_WITH_LZMA)
  target_compile_definitions(test_codec PRIVATE ICE_WITH_LZMA=1)
endif()

# the same test where neither is: codec.c is what knows
add_executable(test_codec_few ${source} "${CMAKE_SOURCE_DIR}/src/avro/codec.c")
foreach(used IN LISTS ICE_CLOSURE_${layer})
  if(TARGET ice_${used})
    target_sources(test_codec_few PRIVATE "$<FILTER:$<TARGET_OBJECTS:ice_${used}>,EXCLUDE,/avro/codec\\.c\\.o>")
  endif()
endforeach()
target_include_directories(test_codec_few PRIVATE ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/tests)
target_link_libraries(test_codec_few PRIVATE ${ICE_LIBS} PkgConfig::CMOCKA PkgConfig::JANSSON)
add_test(NAME unit.avro.test_codec_few COMMAND test_codec_few WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
set_tests_properties(unit.avro.test_codec_few PROPERTIES LABELS "quick;unit" TIMEOUT 180)
