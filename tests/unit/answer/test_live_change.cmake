# One base table has a file that bzip2 packed
if(ICE_WITH_BZIP2)
  target_compile_definitions(test_live_change PRIVATE ICE_WITH_BZIP2=1)
endif()
