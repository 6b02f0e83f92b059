// SPDX-License-Identifier: GPL-2.0
/*
 * Profiles of real programs: what the readers take from small files, and refuse; classes of
 * kernels by their names; synthetic kernels that take a wanted time; commands.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "../../kmod/sim/trace.h"
#include "../../userspace/import/fit.h"
#include "../../userspace/import/program.h"
#include "../../userspace/import/reader.h"
#include "random.h"

/* --- files -------------------------------------------------------------------------- */

/* Read a profile of this content. Returns what profile_read() does. */
static int read_bytes(const void *bytes, size_t count, struct activities *activities,
		      char reason[IMPORT_REASON_BYTES])
{
	char path[] = "/tmp/test_import-XXXXXX";
	int fd = mkstemp(path), ret;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, count), (ssize_t)count);
	close(fd);
	assert_int_equal(activities_open(activities), 0);
	ret = profile_read(path, activities, reason);
	unlink(path);
	return ret;
}

static int read_text(const char *text, struct activities *activities,
		     char reason[IMPORT_REASON_BYTES])
{
	return read_bytes(text, strlen(text), activities, reason);
}

/* Read a good profile. */
static void read_good(const char *text, struct activities *activities)
{
	char reason[IMPORT_REASON_BYTES] = "";
	int ret = read_text(text, activities, reason);

	if (ret)
		print_message("%s\n", reason);
	assert_int_equal(ret, 0);
}

/* A refusal with these words in it */
static void assert_refused(const char *text, const char *words)
{
	char reason[IMPORT_REASON_BYTES] = "";
	struct activities activities;

	assert_int_equal(read_text(text, &activities, reason), -EINVAL);
	if (!strstr(reason, words))
		print_message("\"%s\" is not in \"%s\"\n", words, reason);
	assert_non_null(strstr(reason, words));
	activities_close(&activities);
}

#define KERNEL(name, stream, correlation, ts, dur) \
	"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"" name "\",\"ts\":" #ts ",\"dur\":" #dur \
	",\"args\":{\"stream\":" #stream ",\"correlation\":" #correlation \
	",\"registers per thread\":32,\"shared memory\":0,\"grid\":[64,1,1],\"block\":[128,1,1]}}"
#define CALL(name, correlation, ts, dur) \
	"{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"" name "\",\"ts\":" #ts ",\"dur\":" #dur \
	",\"args\":{\"correlation\":" #correlation "}}"
#define SYNC(name, stream, correlation, more, ts, dur) \
	"{\"ph\":\"X\",\"cat\":\"cuda_sync\",\"name\":\"" name "\",\"ts\":" #ts ",\"dur\":" #dur \
	",\"args\":{\"stream\":" #stream ",\"correlation\":" #correlation more "}}"

static const char small[] =
	"{\"schemaVersion\":1,\"deviceProperties\":[{\"id\":0,\"name\":\"NVIDIA A100\","
	"\"totalGlobalMem\":42297524224}],\n\"traceEvents\":[\n"
	"{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1},\n"
	"{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy HtoD (Pageable -> Device)\","
	"\"ts\":1712195495505583.2,\"dur\":12.125,\"args\":{\"stream\":7,\"correlation\":14,"
	"\"bytes\":92928}},\n"
	KERNEL("add", 7, 27, 1712195495505600, 3) ",\n"
	CALL("cudaLaunchKernel", 27, 1712195495505590, 2) ",\n"
	CALL("cudaMalloc", 28, 1, 2) ",\n"
	"{\"ph\":\"X\",\"cat\":\"new_thing\",\"name\":\"a\",\"ts\":1,\"dur\":1},\n"
	"{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#3\",\"ts\":1,\"dur\":9}\n"
	"],\"traceName\":\"x\"}";

static void test_kineto(void **state)
{
	struct activities activities;
	const struct activity *list;

	read_good(small, &activities);
	list = activities.list;
	assert_int_equal(activities.count, 4);
	assert_string_equal(activities.device, "NVIDIA A100");
	assert_int_equal(activities.device_bytes, 42297524224ULL);
	assert_int_equal(list[0].kind, ACTIVITY_COPY);
	assert_int_equal(list[0].direction, ACTIVITY_TO_DEVICE);
	assert_int_equal(list[0].bytes, 92928);
	/* A double has no room for these digits. */
	assert_int_equal(list[0].start_ns, 1712195495505583200LL);
	assert_int_equal(list[0].duration_ns, 12125);
	assert_int_equal(list[1].kind, ACTIVITY_KERNEL);
	assert_int_equal(list[1].grid[0], 64);
	assert_int_equal(list[1].block[0], 128);
	assert_int_equal(list[1].registers, 32);
	assert_int_equal(list[2].kind, ACTIVITY_CALL);
	assert_int_equal(list[2].correlation, 27);
	assert_int_equal(list[3].kind, ACTIVITY_MARK);
	assert_int_equal(activities.unknown_count, 1);
	assert_string_equal(activities.unknown[0].name, "new_thing");
	activities_close(&activities);
	/* Chrome's other form */
	read_good("[" KERNEL("add", 7, 27, 5, 3) "]", &activities);
	assert_int_equal(activities.count, 1);
	assert_int_equal(activities.list[0].start_ns, 5000);
	activities_close(&activities);
}

static void test_refusals(void **state)
{
	char reason[IMPORT_REASON_BYTES];
	struct activities activities;

	assert_refused("", "first bytes");
	assert_refused("ELF", "first bytes");
	assert_refused("SQLite format 3", "first bytes");
	assert_refused("{}", "no \"traceEvents\"");
	assert_refused("{\"traceEvents\":[", "ends within a value");
	assert_refused("{\"traceEvents\":[{\"ph\":\"X\"}", "\"]\" is missing");
	assert_refused("{\"traceEvents\":{}}", "\"[\" is missing");
	assert_refused("{\"traceEvents\":[}]}", "byte ");
	assert_refused("[{\"ph\":\"X\",\"cat\":\"kernel\",\"ts\":1}]", "\"dur\"");
	assert_refused("[{\"ph\":\"X\",\"cat\":\"kernel\",\"ts\":1e300,\"dur\":1}]", "\"ts\"");
	assert_refused("\x1f\x8bnothing of the kind", "damaged");
	/* Nothing of a GPU */
	read_good("{\"traceEvents\":[]}", &activities);
	assert_int_equal(activities_check(&activities, reason), -EINVAL);
	assert_non_null(strstr(reason, "no activity of a GPU"));
	activities_close(&activities);
	/* No grid */
	read_good("[{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"ts\":1,\"dur\":1,\"args\":{}}]",
		  &activities);
	assert_int_equal(activities_check(&activities, reason), -EINVAL);
	assert_non_null(strstr(reason, "--assume-grid"));
	activities_close(&activities);
}

#define MUTANTS	1500

/* Whatever a file has, reading and program end without a fault. */
static void assert_survives(const char *bytes, size_t count)
{
	char reason[IMPORT_REASON_BYTES] = "";
	struct activities activities;
	struct program program;

	if (!read_bytes(bytes, count, &activities, reason)) {
		assert_int_equal(program_make(&activities, &program), 0);
		program_free(&program);
	} else {
		assert_int_not_equal(reason[0], 0);
	}
	activities_close(&activities);
}

/* --- Nsight Systems --------------------------------------------------------------------- */

static const char export[] =
	"CREATE TABLE StringIds(id INTEGER PRIMARY KEY, value TEXT);"
	"INSERT INTO StringIds VALUES(1, 'add<float>(float*)'), (2, 'cudaLaunchKernel_v7000'),"
	" (3, 'cudaMalloc_v3020'), (4, 'cudaEventRecord_v3020');"
	"CREATE TABLE TARGET_INFO_GPU(name TEXT, totalMemory INTEGER);"
	"INSERT INTO TARGET_INFO_GPU VALUES('NVIDIA H100', 85000000000);"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start, end, deviceId, streamId, correlationId,"
	" demangledName, gridX, gridY, gridZ, blockX, blockY, blockZ, registersPerThread,"
	" staticSharedMemory, dynamicSharedMemory);"
	"INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES(2000, 5000, 0, 7, 11, 1, 4, 5, 6, 128, 2, 1,"
	" 40, 1000, 24), (6000, 6500, 0, 8, 16, 1, 4, 5, 6, 128, 2, 1, 40, 1000, 24);"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start, end, streamId, correlationId, bytes, copyKind);"
	"INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES(1000, 1500, 7, 10, 4096, 1),"
	" (7000, 7500, 7, 17, 64, 2), (7000, 7500, 7, 18, 32, 8), (7000, 7500, 7, 19, 32, 9);"
	"CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start, end, correlationId, nameId);"
	"INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES(900, 950, 11, 2), (960, 970, 12, 3),"
	" (971, 972, 13, 4), (980, 990, 16, 2);";
static const char events[] =
	"CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION(start, end, streamId, correlationId,"
	" syncType, eventId);"
	"INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES(973, 974, 8, 14, 2, 5),"
	" (975, 976, 8, 15, 2, 6), (7600, 7700, 7, 20, 3, 0), (7800, 7900, NULL, 21, 4, 0);";
static const char records[] =
	"CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT(streamId, correlationId, eventId);"
	"INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES(9, 9, 5), (7, 13, 5), (8, 30, 5);";

/* Write a database and read it. Returns what profile_read() does. */
static int read_base(const char *first, const char *second, const char *third,
		     struct activities *activities, char reason[IMPORT_REASON_BYTES])
{
	char path[] = "/tmp/test_import-XXXXXX";
	sqlite3 *base;
	int ret;

	close(mkstemp(path));
	assert_int_equal(sqlite3_open(path, &base), SQLITE_OK);
	assert_int_equal(sqlite3_exec(base, first, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_exec(base, second, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_exec(base, third, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(base);
	assert_int_equal(activities_open(activities), 0);
	ret = profile_read(path, activities, reason);
	unlink(path);
	return ret;
}

static void test_nsys(void **state)
{
	char reason[IMPORT_REASON_BYTES] = "";
	struct activities activities;
	const struct activity *list;

	assert_int_equal(read_base(export, events, records, &activities, reason), 0);
	list = activities.list;
	assert_string_equal(activities.device, "NVIDIA H100");
	assert_int_equal(activities.device_bytes, 85000000000ULL);
	assert_int_equal(activities.count, 11);
	assert_int_equal(list[0].kind, ACTIVITY_KERNEL);
	assert_string_equal(list[0].name, "add<float>(float*)");
	assert_int_equal(list[0].start_ns, 2000);
	assert_int_equal(list[0].duration_ns, 3000);
	assert_int_equal(list[0].grid[2], 6);
	assert_int_equal(list[0].block[1], 2);
	assert_int_equal(list[0].registers, 40);
	assert_int_equal(list[0].shared_bytes, 1024);
	assert_int_equal(list[0].stream, 7);
	assert_int_equal(list[0].correlation, 11);
	assert_int_equal(list[2].direction, ACTIVITY_TO_DEVICE);
	assert_int_equal(list[2].bytes, 4096);
	assert_int_equal(list[3].direction, ACTIVITY_TO_HOST);
	assert_int_equal(list[4].direction, ACTIVITY_ON_DEVICE);
	assert_int_equal(activities.unknown_count, 1);
	assert_int_equal(list[5].kind, ACTIVITY_CALL);
	assert_int_equal(list[6].correlation, 13);
	/* The record before the wait, not the one after it, nor an earlier one */
	assert_int_equal(list[8].kind, ACTIVITY_WAIT);
	assert_int_equal(list[8].record, 13);
	assert_int_equal(list[8].record_stream, 7);
	assert_int_equal(activities.silent_waits, 1);
	assert_int_equal(list[9].kind, ACTIVITY_SYNC);
	assert_int_equal(list[9].stream, 7);
	assert_int_equal(list[10].stream, ACTIVITY_NONE);
	activities_close(&activities);
	/* Without records of events, and without waits */
	assert_int_equal(read_base(export, events, "", &activities, reason), 0);
	assert_int_equal(activities.count, 10);
	assert_int_equal(activities.silent_waits, 2);
	activities_close(&activities);
	assert_int_equal(read_base(export, records, "", &activities, reason), 0);
	assert_int_equal(activities.count, 8);
	activities_close(&activities);
	/* A database of something else, and one with other columns */
	assert_int_equal(read_base("CREATE TABLE t(a);", "", "", &activities, reason), 0);
	assert_int_equal(activities_check(&activities, reason), -EINVAL);
	activities_close(&activities);
	assert_int_equal(read_base("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(a);", "", "", &activities,
				   reason), -EINVAL);
	assert_non_null(strstr(reason, "Nsight Systems"));
	activities_close(&activities);
	assert_int_equal(read_base(export, "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET end = 1;", "",
				   &activities, reason), -EINVAL);
	assert_non_null(strstr(reason, "start and end"));
	activities_close(&activities);
}

/* --- rocprofv3 ------------------------------------------------------------------------- */

static const char rocprof[] =
	"\"Kind\",\"Agent_Id\",\"Queue_Id\",\"Stream_Id\",\"Kernel_Name\",\"Correlation_Id\","
	"\"Start_Timestamp\",\"End_Timestamp\",\"LDS_Block_Size\",\"VGPR_Count\","
	"\"Workgroup_Size_X\",\"Workgroup_Size_Y\",\"Workgroup_Size_Z\",\"Grid_Size_X\","
	"\"Grid_Size_Y\",\"Grid_Size_Z\"\n"
	"\"KERNEL_DISPATCH\",4,1,3,\"f<int, \"\"a\"\">(int)\",5,1000,1800,512,300,64,2,1,1000,6,1\r\n"
	"\n"
	"KERNEL_DISPATCH,4,1,3,g,6,2000,2100,0,8,64,1,1,64,1,1\n";

static void test_rocprof(void **state)
{
	struct activities activities;
	const struct activity *list;

	read_good(rocprof, &activities);
	list = activities.list;
	assert_int_equal(activities.count, 2);
	assert_string_equal(list[0].name, "f<int, \"a\">(int)");
	assert_int_equal(list[0].stream, 3);
	assert_int_equal(list[0].correlation, 5);
	assert_int_equal(list[0].start_ns, 1000);
	assert_int_equal(list[0].duration_ns, 800);
	assert_int_equal(list[0].shared_bytes, 512);
	assert_int_equal(list[0].registers, 255);
	assert_int_equal(list[0].block[1], 2);
	/* Work-items there, thread blocks here */
	assert_int_equal(list[0].grid[0], 16);
	assert_int_equal(list[0].grid[1], 3);
	assert_string_equal(list[1].name, "g");
	activities_close(&activities);
	assert_refused("Kind,Start_Timestamp\nK,1\n", "line 2: no valid Start_Timestamp");
	assert_refused("Kind,Start_Timestamp,End_Timestamp\nK,5,4\n", "End_Timestamp");
	assert_refused("Kind,Start_Timestamp,End_Timestamp\nK,5,6\n", "no Kernel_Name");
	assert_refused("Kind,Start_Timestamp,End_Timestamp,Kernel_Name\nK,5,6,a\n", "Grid_Size");
	assert_refused("Kind,Start_Timestamp,End_Timestamp,Kernel_Name\nK,5,6,\"a\n", "quote");
	assert_refused("Kind,Start_Timestamp,End_Timestamp,Kernel_Name\nK,5,6,\"a\"b\n", "quote");
}

static void write_text(const char *folder, const char *name, const char *text)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

static void test_rocprof_files(void **state)
{
	static const char *const names[] = { "5_kernel_trace.csv", "5_memory_copy_trace.csv",
					     "5_hip_api_trace.csv" };
	char folder[] = "/tmp/test_import-XXXXXX", path[128], reason[IMPORT_REASON_BYTES] = "";
	struct activities activities;
	int i;

	assert_non_null(mkdtemp(folder));
	write_text(folder, names[0], rocprof);
	write_text(folder, names[1], "Kind,Direction,Correlation_Id,Start_Timestamp,End_Timestamp\n"
		   "MEMORY_COPY,MEMORY_COPY_HOST_TO_DEVICE,7,10,20\n");
	write_text(folder, names[2], "Domain,Function,Correlation_Id,Start_Timestamp,End_Timestamp\n"
		   "HIP,hipMalloc,1,1,2\nHIP,hipLaunchKernel,5,3,4\n");
	snprintf(path, sizeof(path), "%s/%s", folder, names[0]);
	assert_int_equal(activities_open(&activities), 0);
	assert_int_equal(profile_read(path, &activities, reason), 0);
	assert_int_equal(activities.count, 4);
	assert_int_equal(activities.list[2].kind, ACTIVITY_COPY);
	assert_int_equal(activities.list[2].direction, ACTIVITY_TO_DEVICE);
	assert_string_equal(activities.list[3].name, "hipLaunchKernel");
	activities_close(&activities);
	write_text(folder, names[1], "Kind\nMEMORY_COPY\n");
	assert_int_equal(activities_open(&activities), 0);
	assert_int_equal(profile_read(path, &activities, reason), -EINVAL);
	assert_non_null(strstr(reason, "memory_copy_trace beside it: line 2"));
	activities_close(&activities);
	for (i = 0; i < 3; i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		unlink(path);
	}
	rmdir(folder);
}

static void try_mutants(const char *sound, size_t size, int mutants)
{
	static const char pieces[] = "{}[],:\"0123456789.-eE\\n tnf";
	char *bytes = malloc(size);
	int i, change;

	random_state = 7;
	for (i = 0; i < mutants; i++) {
		size_t count = size;

		memcpy(bytes, sound, size);
		for (change = random_below(4); change >= 0; change--)
			bytes[random_below((uint32_t)count)] = random_below(2) ?
				pieces[random_below(sizeof(pieces) - 1)] : (char)random_below(256);
		if (!random_below(4))
			count = random_below((uint32_t)count);
		assert_survives(bytes, count);
	}
	free(bytes);
}

/* A database's bytes, which the caller frees */
static char *base_bytes(size_t *count)
{
	char path[] = "/tmp/test_import-XXXXXX", *bytes;
	sqlite3 *base;
	FILE *file;

	close(mkstemp(path));
	assert_int_equal(sqlite3_open(path, &base), SQLITE_OK);
	/* Small pages, so that mutants hit what is in use */
	assert_int_equal(sqlite3_exec(base, "PRAGMA page_size = 512;", NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_exec(base, export, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_exec(base, events, NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_exec(base, records, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(base);
	file = fopen(path, "r");
	assert_non_null(file);
	bytes = malloc(1 << 20);
	*count = fread(bytes, 1, 1 << 20, file);
	fclose(file);
	unlink(path);
	return bytes;
}

static void test_mutants(void **state)
{
	size_t count;
	char *bytes = base_bytes(&count);

	try_mutants(small, sizeof(small) - 1, MUTANTS);
	try_mutants(rocprof, sizeof(rocprof) - 1, MUTANTS);
	try_mutants(bytes, count, MUTANTS);
	free(bytes);
}

/* --- classes ------------------------------------------------------------------------ */

static const char *class_name(const char *name, uint32_t registers, uint32_t shared)
{
	struct activity kernel = { .name = name, .registers = registers, .shared_bytes = shared };

	return class_of(&kernel)->name;
}

static void test_classes(void **state)
{
	struct activity kernel = { .name = "ampere_sgemm_128x64_nn", .block = { 128, 1, 1 } };
	uint32_t rows, columns;
	char name[32];

	assert_string_equal(class_name("ampere_sgemm_128x64_nn", 122, 12544), "gemm");
	assert_string_equal(class_name("void cudnn::winograd_nonfused::winogradForwardData4x4<float>(x)",
				       32, 0), "elementwise");
	assert_string_equal(class_name("void cub::DeviceReduceKernel<gemm>(int)", 32, 0), "reduction");
	assert_string_equal(class_name("ncclDevKernel_AllReduce_Sum_f32(ncclDevComm*)", 96, 0), "nccl");
	assert_string_equal(class_name("void flash_fwd_kernel<Traits>(Params)", 255, 65536),
			    "attention");
	assert_string_equal(class_name("void at::native::(anonymous namespace)::"
				       "indexSelectLargeIndex<float>(x)", 32, 0), "embedding");
	assert_string_equal(class_name("void (anonymous namespace)::softmax_warp_forward<float>(x)",
				       32, 0), "softmax");
	assert_string_equal(class_name("void at::native::(anonymous namespace)::"
				       "vectorized_layer_norm_kernel<float>(x)", 32, 0),
			    "normalization");
	/* A parameter's type tells nothing, a template's argument does. */
	assert_string_equal(class_name("void fft2d<float>(cudnn::reduced_divisor)", 64, 35904), "other");
	assert_string_equal(class_name("void run<cutlass::conv2d>(int)", 32, 0), "gemm");
	/* By shape */
	assert_string_equal(class_name("mystery", 128, 32768), "gemm");
	assert_string_equal(class_name("mystery", 32, 32768), "other");
	class_tile(&kernel, &rows, &columns);
	assert_int_equal(rows, 128);
	assert_int_equal(columns, 64);
	kernel.name = "winograd_4x4";
	class_tile(&kernel, &rows, &columns);
	assert_int_equal(rows, 64);
	assert_true(class_has_tensor("sm80_xmma_fprop_implicit_gemm_tf32"));
	assert_false(class_has_tensor("volta_sgemm_128x64_nn"));
	class_short_name("void at::native::(anonymous namespace)::f<a<b>>(int)", name, sizeof(name));
	assert_string_equal(name, "f");
	class_short_name("[a, b]", name, 4);
	assert_string_equal(name, "[a_");
}

/* --- the search --------------------------------------------------------------------- */

static struct fit fit_of(const char *name, uint32_t blocks, uint32_t threads, uint64_t ns,
			 struct activity *kernel)
{
	*kernel = (struct activity){ .name = name, .grid = { blocks, 1, 1 },
				     .block = { threads, 1, 1 }, .registers = 32 };
	return (struct fit){ .synthetic = { .kernel = kernel, .class = class_of(kernel) },
			     .wanted_ns = ns };
}

/* Simulated again, as it would be written, it takes the time that the fit says. */
static void assert_fits(const char *name, uint32_t blocks, uint32_t threads, uint64_t ns)
{
	const struct gpu_config *config = gpu_config_find("v100");
	struct activity kernel;
	struct fit fit = fit_of(name, blocks, threads, ns, &kernel), again = fit;

	assert_int_equal(fit_kernel(config, &fit, NULL), 0);
	assert_null(fit.reason);
	assert_in_range(fit.simulated_ns, ns - ns / 20, ns + ns / 20);
	/* The same each time */
	assert_int_equal(fit_kernel(config, &again, NULL), 0);
	assert_int_equal(again.synthetic.turns, fit.synthetic.turns);
	assert_int_equal(again.synthetic.tail, fit.synthetic.tail);
	assert_int_equal(again.simulated_ns, fit.simulated_ns);
}

static bool stop_now(void)
{
	return true;
}

static void test_fits(void **state)
{
	static const char *const names[] = {
		"vectorized_elementwise_kernel", "volta_sgemm_64x64_tn", "sm80_xmma_gemm_64x64",
		"flash_fwd_kernel", "reduce_kernel", "indexSelectLargeIndex", "softmax", "other",
	};
	const struct gpu_config *config = gpu_config_find("v100");
	struct activity kernel;
	struct fit fit;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		assert_fits(names[i], 33, 100, 7000 + 500 * i);
	assert_fits("add", 1, 1, 2000);
	/* Nothing so large is so short. */
	fit = fit_of("fill", 40000, 1024, 10, &kernel);
	assert_int_equal(fit_kernel(config, &fit, NULL), 0);
	assert_non_null(strstr(fit.reason, "thread blocks take longer"));
	assert_int_not_equal(fit.simulated_ns, 0);
	/* A thread block that is too large */
	fit = fit_of("fill", 1, 1024, 10000, &kernel);
	kernel.registers = 255;
	assert_int_equal(fit_kernel(config, &fit, NULL), 0);
	assert_int_equal(fit.simulated_ns, 0);
	assert_non_null(strstr(fit.reason, "does not fit"));
	kernel.block[1] = 2;
	assert_int_equal(fit_kernel(config, &fit, NULL), 0);
	assert_non_null(strstr(fit.reason, "1024 threads"));
	fit = fit_of("fill", 1, 32, 10000, &kernel);
	assert_int_equal(fit_kernel(config, &fit, stop_now), -EINTR);
}

/* All blocks' first turn would take longer than that: some blocks have one, and the others none. */
static void test_extra(void **state)
{
	const struct gpu_config *config = gpu_config_find("v100");
	struct activity kernel;
	struct fit fit = fit_of("vectorized_elementwise_kernel", 4000, 128, 15000, &kernel);

	assert_int_equal(fit_kernel(config, &fit, NULL), 0);
	assert_null(fit.reason);
	assert_int_equal(fit.synthetic.turns, 0);
	assert_in_range(fit.synthetic.extra, 1000, 3999);
	assert_int_equal(fit.synthetic.tail, 0);
	/* 16 bytes in and 16 out for each of their threads */
	assert_int_equal(fit.memory_bytes, fit.synthetic.extra * 128 * 32);
}

/* No shape makes a kernel that a device refuses. */
static void test_templates(void **state)
{
	static const char *const names[] = { "vectorized_add", "sgemm_256x128", "gather", "mystery",
					     "hgemm_s16816_64x64", "layer_norm" };
	static const uint32_t grids[][3] = {
		{ 1, 1, 1 }, { 2147483647, 1, 1 }, { 3, 65535, 7 }, { 1, 1, 65535 }, { 100, 200, 300 },
	};
	static const uint32_t turns[] = { 0, 1, 3, 1000, 1 << 24 };
	static const uint32_t extras[] = { 0, 1, 3, 65538 };
	static const uint32_t blocks[] = { 1, 31, 33, 1024 };
	size_t name, grid, turn, extra, block, bytes;

	for (name = 0; name < sizeof(names) / sizeof(*names); name++)
	for (grid = 0; grid < sizeof(grids) / sizeof(*grids); grid++)
	for (turn = 0; turn < sizeof(turns) / sizeof(*turns); turn++)
	for (extra = 0; extra < sizeof(extras) / sizeof(*extras); extra++)
	for (block = 0; block < sizeof(blocks) / sizeof(*blocks); block++) {
		struct activity kernel = { .name = names[name], .block = { blocks[block], 1, 1 } };
		struct synthetic synthetic = { .kernel = &kernel, .turns = turns[turn], .tail = 3 };
		struct trace_error error = { 0 };
		u64 memory;
		void *trace;

		memcpy(kernel.grid, grids[grid], sizeof(kernel.grid));
		synthetic.extra = extras[extra];
		if (synthetic.extra >= (uint64_t)kernel.grid[0] * kernel.grid[1] * kernel.grid[2])
			continue;
		synthetic.class = class_of(&kernel);
		assert_null(synthetic_refusal(&kernel));
		trace = synthetic_trace(&synthetic, &bytes);
		assert_non_null(trace);
		if (trace_check(trace, bytes, &memory, &error))
			print_message("%s grid %zu turns %u block %u: %s %s\n", names[name], grid,
				      turns[turn], blocks[block], error.field, error.reason);
		assert_string_equal(error.reason, "");
		free(trace);
	}
}

/* --- commands ----------------------------------------------------------------------- */

/* Make a program of events. */
static void make_program(const char *text, struct activities *activities, struct program *program)
{
	read_good(text, activities);
	assert_int_equal(program_make(activities, program), 0);
}

static void assert_command(const struct program *program, size_t at, uint32_t kind, uint32_t queue,
			   uint32_t what, uint32_t repeat, uint64_t amount)
{
	const struct simgpu_trace_command *command = &program->commands[at];

	assert_in_range(at, 0, program->command_count - 1);
	assert_int_equal(command->kind, kind);
	assert_int_equal(command->queue, queue);
	assert_int_equal(command->what, what);
	assert_int_equal(command->repeat, repeat);
	assert_int_equal(command->amount, amount);
	assert_int_equal(command->reserved, 0);
}

static void test_kernels_are_said_once(void **state)
{
	struct activities activities;
	struct program program;

	make_program("[" KERNEL("b", 7, 3, 30, 9) "," KERNEL("a", 7, 1, 10, 5) ","
		     KERNEL("a", 7, 2, 15, 7) "," CALL("cudaLaunchKernel", 1, 1, 1) ","
		     CALL("cudaLaunchKernel", 2, 2, 1) "," CALL("cudaLaunchKernel", 3, 3, 1) "]",
		     &activities, &program);
	/* In the order of the host, not of the file */
	assert_int_equal(program.kernel_count, 2);
	assert_string_equal(program.kernels[0].activity->name, "a");
	assert_int_equal(program.kernels[0].launches, 2);
	assert_int_equal(program.kernels[0].median_ns, 5000);
	assert_int_equal(program.kernels[0].total_ns, 12000);
	assert_int_equal(program.command_count, 2);
	assert_command(&program, 0, SIMGPU_TRACE_COMMAND_KERNEL, 0, 0, 2, 0);
	assert_command(&program, 1, SIMGPU_TRACE_COMMAND_KERNEL, 0, 1, 1, 0);
	assert_int_equal(program.span_ns, 29000);
	program_free(&program);
	activities_close(&activities);
}

/* The third kernel is launched when the second has long ended; the second waits in the queue. */
static void test_host_gaps(void **state)
{
	struct activities activities;
	struct program program;

	make_program("[" KERNEL("a", 7, 1, 10, 10) "," KERNEL("a", 7, 2, 22, 8) ","
		     KERNEL("a", 7, 3, 50, 5) "," KERNEL("a", 7, 9, 90, 5) ","
		     CALL("cudaLaunchKernel", 1, 1, 1) "," CALL("cudaLaunchKernel", 2, 2, 1) ","
		     CALL("cudaLaunchKernel", 3, 47, 1) "," CALL("cudaStreamWaitEvent", 4, 48, 1) "]",
		     &activities, &program);
	/* Nothing says what for. */
	assert_int_equal(program.silent_waits, 1);
	assert_int_equal(program.command_count, 3);
	assert_command(&program, 0, SIMGPU_TRACE_COMMAND_KERNEL, 0, 0, 2, 0);
	assert_command(&program, 1, SIMGPU_TRACE_COMMAND_DELAY, 0, 0, 1, 20000);
	/* A kernel without a call follows at once. */
	assert_command(&program, 2, SIMGPU_TRACE_COMMAND_KERNEL, 0, 0, 2, 0);
	assert_int_equal(program.host_ns, 20000);
	assert_int_equal(program.without_call, 1);
	program_free(&program);
	activities_close(&activities);
}

/* Stream 8 waits for what stream 7 had when its event was recorded. */
static void test_events(void **state)
{
	struct activities activities;
	struct program program;

	make_program("[" KERNEL("a", 7, 1, 10, 10) "," KERNEL("b", 8, 4, 21, 8) ","
		     CALL("cudaLaunchKernel", 1, 1, 1) "," CALL("cudaEventRecord", 2, 2, 1) ","
		     CALL("cudaStreamWaitEvent", 3, 3, 1) ","
		     SYNC("Stream Wait Event", 8, 3, ",\"wait_on_stream\":7,"
			  "\"wait_on_cuda_event_record_corr_id\":2", 3, 1) ","
		     SYNC("Stream Wait Event", 8, 30, ",\"wait_on_stream\":7,"
			  "\"wait_on_cuda_event_record_corr_id\":-1", 3, 1) ","
		     SYNC("Stream Wait Event", 8, 31, ",\"wait_on_stream\":7,"
			  "\"wait_on_cuda_event_record_corr_id\":77", 3, 1) ","
		     CALL("cudaLaunchKernel", 4, 4, 1) "]", &activities, &program);
	assert_int_equal(program.command_count, 4);
	assert_command(&program, 0, SIMGPU_TRACE_COMMAND_KERNEL, 0, 0, 1, 0);
	assert_command(&program, 1, SIMGPU_TRACE_COMMAND_RECORD, 0, 0, 1, 0);
	assert_command(&program, 2, SIMGPU_TRACE_COMMAND_WAIT, 1, 0, 1, 0);
	/* The launch came before the wait was over: the host is not what it waited for. */
	assert_command(&program, 3, SIMGPU_TRACE_COMMAND_KERNEL, 1, 1, 1, 0);
	/* One was recorded before the profile began, of one there is no call. */
	assert_int_equal(program.silent_waits, 2);
	program_free(&program);
	activities_close(&activities);
}

/* What the host launches after it has waited for stream 7 comes after that, in stream 8, too. */
static void test_host_waits(void **state)
{
	struct activities activities;
	struct program program;

	make_program("[" KERNEL("a", 7, 1, 10, 10) "," KERNEL("b", 8, 3, 30, 8) ","
		     CALL("cudaLaunchKernel", 1, 1, 1) "," CALL("cudaStreamSynchronize", 2, 2, 19) ","
		     SYNC("Stream Sync", 7, 2, "", 10, 11) ","
		     CALL("cudaEventQuery", 6, 22, 1) ","
		     SYNC("Event Sync", -1, 6, ",\"wait_on_stream\":7,"
			  "\"wait_on_cuda_event_record_corr_id\":1", 22, 1) ","
		     CALL("cudaLaunchKernel", 3, 25, 1) ","
		     "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#3\",\"ts\":1,"
		     "\"dur\":99}" "]", &activities, &program);
	assert_int_equal(program.command_count, 6);
	assert_command(&program, 0, SIMGPU_TRACE_COMMAND_KERNEL, 0, 0, 1, 0);
	assert_command(&program, 1, SIMGPU_TRACE_COMMAND_RECORD, 0, 0, 1, 0);
	assert_command(&program, 2, SIMGPU_TRACE_COMMAND_WAIT, 1, 0, 1, 0);
	assert_command(&program, 3, SIMGPU_TRACE_COMMAND_DELAY, 1, 0, 1, 10000);
	assert_command(&program, 4, SIMGPU_TRACE_COMMAND_KERNEL, 1, 1, 1, 0);
	assert_command(&program, 5, SIMGPU_TRACE_COMMAND_MARK, 1, 0, 1, 0);
	program_free(&program);
	activities_close(&activities);
}

/* Of an hour without work the trace has what a command can say. */
static void test_long_gap(void **state)
{
	struct activities activities;
	struct program program;

	make_program("[" KERNEL("a", 7, 1, 10, 10) "," KERNEL("a", 7, 2, 3600000000, 8) ","
		     CALL("cudaLaunchKernel", 1, 1, 1) "," CALL("cudaLaunchKernel", 2, 3599999999, 1) ","
		     "{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy DtoH\",\"ts\":3600000020,"
		     "\"dur\":1,\"args\":{\"stream\":7,\"bytes\":9000000000000000000}},"
		     "{\"ph\":\"X\",\"cat\":\"gpu_memcpy\",\"name\":\"Memcpy DtoH\",\"ts\":3600000040,"
		     "\"dur\":1,\"args\":{\"stream\":7}}]", &activities, &program);
	assert_int_equal(program.command_count, 4);
	assert_command(&program, 1, SIMGPU_TRACE_COMMAND_DELAY, 0, 0, 1, PROGRAM_AMOUNT_MAX);
	assert_command(&program, 3, SIMGPU_TRACE_COMMAND_COPY_OUT, 0, 0, 1, PROGRAM_AMOUNT_MAX);
	assert_int_equal(program.copies_without_bytes, 1);
	program_free(&program);
	activities_close(&activities);
}

static void test_streams_are_folded(void **state)
{
	struct activities activities;
	struct program program;

	make_program("[" KERNEL("a", 1, 1, 1, 1) "," KERNEL("a", 2, 2, 2, 1) ","
		     KERNEL("a", 3, 3, 3, 1) "," KERNEL("a", 4, 4, 4, 1) "," KERNEL("a", 5, 5, 5, 1) ","
		     KERNEL("a", 6, 6, 6, 1) "," KERNEL("a", 7, 7, 7, 1) "," KERNEL("a", 8, 8, 8, 1) ","
		     KERNEL("a", -9, 9, 9, 1) "]", &activities, &program);
	assert_int_equal(program.streams, 9);
	assert_int_equal(program.queues, 8);
	assert_command(&program, 7, SIMGPU_TRACE_COMMAND_KERNEL, 7, 0, 1, 0);
	assert_command(&program, 8, SIMGPU_TRACE_COMMAND_KERNEL, 0, 0, 1, 0);
	program_free(&program);
	activities_close(&activities);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kineto),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_nsys),
		cmocka_unit_test(test_rocprof),
		cmocka_unit_test(test_rocprof_files),
		cmocka_unit_test(test_mutants),
		cmocka_unit_test(test_classes),
		cmocka_unit_test(test_fits),
		cmocka_unit_test(test_extra),
		cmocka_unit_test(test_templates),
		cmocka_unit_test(test_kernels_are_said_once),
		cmocka_unit_test(test_host_gaps),
		cmocka_unit_test(test_events),
		cmocka_unit_test(test_host_waits),
		cmocka_unit_test(test_long_gap),
		cmocka_unit_test(test_streams_are_folded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
