import type { AddedRoutes } from '#relay/routes/added-routes.ts';
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

const dialects: readonly AddedRoutes[] = [
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

/** The paths of all task dialects. */
export const taskFront: AddedRoutes = {
  find(method, path) {
    for (const dialect of dialects) {
      const route = dialect.find(method, path);
      if (route) return route;
    }
    return undefined;
  },
  errorBody(path, refusal, requestId) {
    for (const dialect of dialects) {
      const body = dialect.errorBody(path, refusal, requestId);
      if (body !== undefined) return body;
    }
    return undefined;
  },
};
