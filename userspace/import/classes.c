// SPDX-License-Identifier: GPL-2.0
/*
 * The table of classes. Words are those of PyTorch's own kernels (aten/src/ATen/native/cuda)
 * and of cuBLAS, cuDNN, CUTLASS, rocBLAS, FlashAttention and NCCL. The order counts: what
 * adds up the parts of a product is named after it, and copies are elementwise by template.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "classes.h"

/* A fused multiply and add, and what becomes of an index */
#define LIGHT	"I F F1"
#define MOVES	"I I1"

static const struct kernel_class classes[] = {
	{ "nccl", "nccl rccl", FAMILY_STREAM, 1, 1, MOVES, 2, false },
	{ "attention", "flash fmha attention mha_", FAMILY_TILES, 0, 0, NULL, 0, false },
	{ "softmax", "softmax", FAMILY_STREAM, 1, 1, "S F F1 S1 F1", 10, true },
	{ "normalization",
	  "layernorm layer_norm batchnorm batch_norm groupnorm group_norm rmsnorm rms_norm "
	  "norm_kernel rowwisemoments bn_fw bn_bw",
	  FAMILY_STREAM, 2, 1, "F F1 F1 F", 8, true },
	{ "embedding",
	  "embedding gather scatter index_select indexselect indexing_ index_elementwise",
	  FAMILY_GATHER, 1, 1, MOVES, 4, false },
	{ "reduction", "reduce reduction argmax argmin pool loss", FAMILY_STREAM, 1, 0,
	  "F1 F F1", 6, true },
	{ "copy", "copy catarray tonhwc tonchw transpose memcpy permute", FAMILY_STREAM, 1, 1,
	  MOVES, 2, false },
	{ "elementwise",
	  "winogradforwarddata winogradforwardfilter winogradforwardoutput winogradwgraddata "
	  "winogradwgraddelta winogradwgradoutput",
	  FAMILY_STREAM, 1, 1, LIGHT, 6, false },
	{ "other", "offsetskernel", FAMILY_STREAM, 1, 1, LIGHT, 6, false },
	{ "gemm",
	  "gemm gemv scudnn hcudnn xmma cutlass conv2d conv_ convolve winograd dgrad wgrad cijk_ "
	  "hmma s884 s1688 s16816 cublas",
	  FAMILY_TILES, 0, 0, NULL, 0, false },
	{ "elementwise",
	  "elementwise multi_tensor_apply dropout relu gelu silu rotary scalepackedtensor fill",
	  FAMILY_STREAM, 1, 1, LIGHT, 6, false },
	{ "other", "", FAMILY_STREAM, 1, 1, LIGHT, 6, false },
};

#define CLASSES		(sizeof(classes) / sizeof(*classes))
/* The last one takes what no word tells. */
#define OTHER		(&classes[CLASSES - 1])

/* What products have and hardly anything else: registers, and bytes of shared memory */
#define GEMM_REGISTERS	96
#define GEMM_SHARED	8192
/* Most of a name that is looked at; templates make names of kilobytes. */
#define LOOKED_AT	4096

/* Whether a name, in lower case, has one of a class' words. */
static bool has_word(const char *name, const char *words)
{
	char word[40];

	while (*words) {
		size_t length = strcspn(words, " ");

		snprintf(word, sizeof(word), "%.*s", (int)length, words);
		if (strstr(name, word))
			return true;
		words += length;
		words += *words == ' ';
	}
	return false;
}

static void lower(const char *name, size_t length, char to[LOOKED_AT])
{
	size_t i;

	for (i = 0; i < LOOKED_AT - 1 && i < length && name[i]; i++)
		to[i] = (char)tolower((unsigned char)name[i]);
	to[i] = '\0';
}

/* Where a name's parameters or the arguments of its template begin */
static size_t name_end(const char *name)
{
	static const char nowhere[] = "(anonymous namespace)";
	size_t i = 0;

	while (name[i] && name[i] != '<' && name[i] != '(') {
		i++;
		if (strncmp(name + i, nowhere, sizeof(nowhere) - 1) == 0)
			i += sizeof(nowhere) - 1;
	}
	return i;
}

/* Where a name's parameters begin, behind the arguments of its template */
static size_t parameters_begin(const char *name)
{
	size_t i = name_end(name);
	int depth = 0;

	for (; name[i] && (depth || name[i] != '('); i++)
		depth += (name[i] == '<') - (name[i] == '>');
	return i;
}

/* The class with a word in the first part of a name; NULL: none */
static const struct kernel_class *class_of_part(const char *name, size_t length)
{
	char part[LOOKED_AT];
	size_t i;

	lower(name, length, part);
	for (i = 0; i < CLASSES - 1; i++)
		if (has_word(part, classes[i].words))
			return &classes[i];
	return NULL;
}

static const struct kernel_class *class_named(const char *name)
{
	size_t i;

	for (i = 0; i < CLASSES - 1; i++)
		if (strcmp(classes[i].name, name) == 0)
			return &classes[i];
	return OTHER;
}

const struct kernel_class *class_of(const struct activity *kernel)
{
	const char *name = kernel->name;
	const struct kernel_class *class = class_of_part(name, name_end(name));

	/* The function's own name first: those of its types tell less. */
	if (!class)
		class = class_of_part(name, parameters_begin(name));
	if (!class && kernel->registers >= GEMM_REGISTERS && kernel->shared_bytes >= GEMM_SHARED)
		class = class_named("gemm");
	return class ? class : OTHER;
}

bool class_has_tensor(const char *name)
{
	char low[LOOKED_AT];

	lower(name, parameters_begin(name), low);
	return has_word(low, "s884 s1688 s16816 hmma h884 h1688 h16816 tensorop xmma i8816 i16832 "
			"sm80_ sm90_ wgmma flash fmha bf16 f16f16 hcudnn mfma");
}

/* A number of a tile's size, or 0 */
static uint32_t tile_size(const char **text)
{
	char *end;
	unsigned long size = strtoul(*text, &end, 10);

	*text = end;
	return size >= 16 && size <= 512 && size % 16 == 0 ? (uint32_t)size : 0;
}

void class_tile(const struct activity *kernel, uint32_t *rows, uint32_t *columns)
{
	uint64_t threads = (uint64_t)kernel->block[0] * kernel->block[1] * kernel->block[2];
	const char *at = kernel->name;

	while (*at) {
		if (!isdigit((unsigned char)*at)) {
			at++;
			continue;
		}
		*rows = tile_size(&at);
		if (!*rows || *at != 'x')
			continue;
		at++;
		*columns = isdigit((unsigned char)*at) ? tile_size(&at) : 0;
		if (*columns)
			return;
	}
	*rows = *columns = threads > 128 ? 128 : 64;
}

void class_short_name(const char *name, char *to, size_t bytes)
{
	size_t end = name_end(name), begin = end, i;

	while (begin && (isalnum((unsigned char)name[begin - 1]) || name[begin - 1] == '_' ||
			 name[begin - 1] == '.'))
		begin--;
	if (begin == end) {
		begin = 0;
		end = strlen(name);
	}
	for (i = 0; i < bytes - 1 && begin + i < end; i++)
		to[i] = name[begin + i] > ' ' && name[begin + i] <= '~' &&
			!strchr(",\"\\", name[begin + i]) ? name[begin + i] : '_';
	to[i] = '\0';
	if (!i)
		snprintf(to, bytes, "kernel");
}
