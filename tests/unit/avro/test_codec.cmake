# The test packs with the codecs that are built in
if(ICE_WITH_BZIP2)
  target_compile_definitions(test_codec PRIVATE ICE_WITH_BZIP2=1)
endif()
if(ICE_WITH_LZMA)
  target_compile_definitions(test_codec PRIVATE ICE_WITH_LZMA=1)
endif()
