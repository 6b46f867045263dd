import type { PathOwner } from '#relay/types/path-row.ts';
import { anthropicBatchRoutes } from './batches/anthropic-batches.ts';
import { geminiBatchRoutes } from './batches/gemini-batches.ts';
import { openAiBatchRoutes } from './batches/openai-batches.ts';
import { openAiFineTuningRoutes } from './batches/openai-fine-tuning.ts';
import { genericVideoDialect } from './dialects/generic-video/generic-video-dialect.ts';
import { googleVideoDialect } from './dialects/google/google-video-dialect.ts';
import { jimengDialect } from './dialects/jimeng/jimeng-dialect.ts';
import { klingDialect } from './dialects/kling/kling-dialect.ts';
import { midjourneyDialect } from './dialects/midjourney/midjourney-dialect.ts';
import { openAiVideosDialect } from './dialects/openai-videos/videos-dialect.ts';
import { sunoDialect } from './dialects/suno/suno-dialect.ts';
import { mediaRoute } from './media/media-route.ts';

/** The paths of all task dialects. */
export const taskPaths: readonly PathOwner[] = [
  midjourneyDialect,
  sunoDialect,
  openAiVideosDialect,
  genericVideoDialect,
  klingDialect,
  geminiBatchRoutes,
  googleVideoDialect,
  jimengDialect,
  mediaRoute,
  openAiBatchRoutes,
  openAiFineTuningRoutes,
  anthropicBatchRoutes,
];
