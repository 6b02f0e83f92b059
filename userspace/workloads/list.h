/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The built-in benchmarks, a line each: name, title, suite, the papers that use it, its
 * class in HSM's Table 2 and in Themis' Table III, the function that emits its kernels,
 * and the part of its data for the cards of STM; see struct benchmark. HSM's come first,
 * in the order of its Table 2; those that are of no paper come last. A file that includes this list first defines BENCHMARK(),
 * which makes something of a line.
 */
BENCHMARK("PVC", "Page View Count", "Mars", SET_HSM, MEMORY, UNSAID, page_views, 0)
BENCHMARK("LBM", "Lattice-Boltzmann Method", "Parboil", SET_HSM | SET_FGQOS | SET_THEMIS_TRAINING,
	  MEMORY, MEMORY, lbm, 0)
BENCHMARK("BH", "BlackScholes", "CUDA SDK", SET_HSM | SET_STM,
	  MEMORY, UNSAID, black_scholes, 990000)
BENCHMARK("DWT2D", "DWT2D", "Rodinia", SET_HSM, MEMORY, UNSAID, dwt2d, 0)
BENCHMARK("EULER3D", "EULER3D", "Rodinia", SET_HSM | SET_THEMIS_TRAINING,
	  MEMORY, MEMORY, euler3d, 0)
BENCHMARK("FWT", "FastWalshTransform", "CUDA SDK", SET_HSM | SET_STM, MEMORY, UNSAID, walsh, 31250)
BENCHMARK("2DCONV", "2D-convolution", "PolyBench", SET_HSM, MEMORY, UNSAID, 2dconv, 0)
BENCHMARK("SC", "Streamcluster", "Rodinia", SET_HSM, MEMORY, UNSAID, streamcluster, 0)
BENCHMARK("CONVS", "Convolution Separable", "CUDA SDK", SET_HSM, MEMORY, UNSAID, convolution, 0)
BENCHMARK("SRAD", "Srad_v2", "Rodinia", SET_HSM | SET_THEMIS_TEST, MEMORY, BALANCED, srad, 0)
BENCHMARK("DXTC", "DXTC", "CUDA SDK", SET_HSM, COMPUTE, UNSAID, dxtc, 0)
BENCHMARK("HOTSPOT", "HOTSPOT", "Rodinia", SET_HSM | SET_THEMIS_TRAINING,
	  COMPUTE, BALANCED, hotspot, 0)
BENCHMARK("PF", "PATHFINDER", "Rodinia", SET_HSM | SET_THEMIS_TRAINING,
	  COMPUTE, BALANCED, pathfinder, 0)
BENCHMARK("BINO", "BinomialOptions", "CUDA SDK", SET_HSM | SET_STM,
	  COMPUTE, UNSAID, binomial, 100000)
BENCHMARK("MRI-Q", "MRI-Q", "Parboil", SET_HSM | SET_FGQOS | SET_THEMIS_TRAINING,
	  COMPUTE, COMPUTE, mri_q, 0)
BENCHMARK("CUTCP", "Cutoff Coulombic Potential", "Parboil", SET_FGQOS | SET_THEMIS_TRAINING,
	  UNSAID, COMPUTE, cutcp, 0)
BENCHMARK("HISTO", "Saturating Histogram", "Parboil", SET_FGQOS | SET_THEMIS_TRAINING,
	  UNSAID, MEMORY, histo, 0)
BENCHMARK("MRI-GRIDDING", "MRI Gridding", "Parboil", SET_FGQOS | SET_THEMIS_TEST,
	  UNSAID, MEMORY, mri_gridding, 0)
BENCHMARK("SAD", "Sum of Absolute Differences", "Parboil", SET_FGQOS, UNSAID, UNSAID, sad, 0)
BENCHMARK("SGEMM", "Dense Matrix Multiplication", "Parboil", SET_FGQOS, UNSAID, UNSAID, sgemm, 0)
BENCHMARK("SPMV", "Sparse Matrix-Vector Product", "Parboil", SET_FGQOS, UNSAID, UNSAID, spmv, 0)
BENCHMARK("STENCIL", "7-point Stencil", "Parboil", SET_FGQOS | SET_THEMIS_TEST,
	  UNSAID, MEMORY, stencil, 0)
BENCHMARK("TPACF", "Two Point Angular Correlation", "Parboil", SET_FGQOS | SET_THEMIS_TEST,
	  UNSAID, COMPUTE, tpacf, 0)
BENCHMARK("BACKPROP", "Back Propagation", "Rodinia", SET_THEMIS_TEST, UNSAID, BALANCED, backprop, 0)
BENCHMARK("BFS", "Breadth-First Search", "Rodinia", SET_THEMIS_TRAINING, UNSAID, BALANCED, bfs, 0)
BENCHMARK("GAUSSIAN", "Gaussian Elimination", "Rodinia", SET_THEMIS_TRAINING,
	  UNSAID, MEMORY, gaussian, 0)
BENCHMARK("HEARTWALL", "Heart Wall Tracking", "Rodinia", SET_THEMIS_TRAINING,
	  UNSAID, COMPUTE, heartwall, 0)
BENCHMARK("KMEANS", "K-means", "Rodinia", SET_THEMIS_TEST, UNSAID, MEMORY, kmeans, 0)
BENCHMARK("LAVAMD", "LavaMD", "Rodinia", SET_THEMIS_TRAINING, UNSAID, MEMORY, lava_md, 0)
BENCHMARK("LEUKOCYTE", "Leukocyte Tracking", "Rodinia", SET_THEMIS_TRAINING,
	  UNSAID, BALANCED, leukocyte, 0)
BENCHMARK("NN", "Nearest Neighbor", "Rodinia", SET_THEMIS_TRAINING,
	  UNSAID, MEMORY, nearest_neighbor, 0)
BENCHMARK("PFF", "Particle Filter, float", "Rodinia", SET_THEMIS_TRAINING,
	  UNSAID, MEMORY, particle_filter, 0)
BENCHMARK("PFN", "Particle Filter, naive", "Rodinia", SET_THEMIS_TEST,
	  UNSAID, COMPUTE, particle_filter_naive, 0)
BENCHMARK("SRAD1", "Srad_v1", "Rodinia", SET_THEMIS_TRAINING, UNSAID, BALANCED, srad_v1, 0)
BENCHMARK("HIST64", "Histogram64", "CUDA SDK", SET_STM, UNSAID, UNSAID, histogram64, 50000)
BENCHMARK("HIST256", "Histogram256", "CUDA SDK", SET_STM, UNSAID, UNSAID, histogram256, 50000)
BENCHMARK("MERGESORT", "MergeSort", "CUDA SDK", SET_STM, UNSAID, UNSAID, merge_sort, 4000)
BENCHMARK("MONTECARLO", "MonteCarlo", "CUDA SDK", SET_STM, UNSAID, UNSAID, monte_carlo, 100000)
BENCHMARK("SCAN", "Scan", "CUDA SDK", SET_STM, UNSAID, UNSAID, scan, 50000)
BENCHMARK("VA", "VectorAdd", "CUDA SDK", SET_STM, UNSAID, UNSAID, vector_add, 40000)
BENCHMARK("LLAMA-ADD", "Llama-2-7B, sum", "Llama", 0, UNSAID, UNSAID, llama_add, 15625)
BENCHMARK("LLAMA-NORM", "Llama-2-7B, RMSNorm", "Llama", 0, UNSAID, UNSAID, llama_norm, 15625)
BENCHMARK("LLAMA-ROPE", "Llama-2-7B, rotary", "Llama", 0, UNSAID, UNSAID, llama_rope, 15625)
BENCHMARK("LLAMA-ACT", "Llama-2-7B, activation", "Llama", 0, UNSAID, UNSAID, llama_act, 15625)
BENCHMARK("LLAMA-QKV", "Llama-2-7B, Q, K and V", "Llama", 0,
	  UNSAID, UNSAID, llama_qkv, 15625)
BENCHMARK("LLAMA-OUT", "Llama-2-7B, output", "Llama", 0,
	  UNSAID, UNSAID, llama_out, 15625)
BENCHMARK("LLAMA-UP", "Llama-2-7B, into the MLP", "Llama", 0,
	  UNSAID, UNSAID, llama_up, 15625)
BENCHMARK("LLAMA-DOWN", "Llama-2-7B, out of the MLP", "Llama", 0,
	  UNSAID, UNSAID, llama_down, 15625)
BENCHMARK("LLAMA-QKV-SM90", "Q, K and V, for Hopper", "Llama", 0,
	  UNSAID, UNSAID, llama_qkv_sm90, 15625)
BENCHMARK("LLAMA-OUT-SM90", "output, for Hopper", "Llama", 0,
	  UNSAID, UNSAID, llama_out_sm90, 15625)
BENCHMARK("LLAMA-UP-SM90", "into the MLP, for Hopper", "Llama", 0,
	  UNSAID, UNSAID, llama_up_sm90, 15625)
BENCHMARK("LLAMA-DOWN-SM90", "out of the MLP, for Hopper", "Llama", 0,
	  UNSAID, UNSAID, llama_down_sm90, 15625)
BENCHMARK("STREAM", "Stream over a set", "Paging", 0, UNSAID, UNSAID, stream, 15625)
BENCHMARK("RSTREAM", "Random stream over a set", "Paging", 0, UNSAID, UNSAID, random_stream, 15625)
BENCHMARK("CHASE", "Pointer chase over a set", "Paging", 0, UNSAID, UNSAID, chase, 15625)
BENCHMARK("KMEANS2", "K-means over a set", "Paging", 0, UNSAID, UNSAID, kmeans_set, 15625)
