job.init(args['JOB_NAME'], args)
spark.sql(f"""CREATE TABLE IF NOT EXISTS `a-b`.{db}.t (x INT) -- c
USING iceberg""" + tail)
SparkConf().setAll([("spark.sql.catalog.x", 'y\x41\n')])
