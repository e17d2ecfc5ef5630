# The tests of rule/ bring their own small catalogue: the same sources, compiled against small/.
set(rule_sources catalogue coverage emit emit_room emit_join emit_pack deliver message baseline)
list(TRANSFORM rule_sources PREPEND "${CMAKE_SOURCE_DIR}/src/rule/")
list(TRANSFORM rule_sources APPEND ".c")
set_property(TARGET ${name} PROPERTY SOURCES ${source} ${rule_sources} $<TARGET_OBJECTS:ice_base>)
target_include_directories(${name} BEFORE PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}/unit/rule/small")
