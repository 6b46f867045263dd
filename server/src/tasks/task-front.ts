import type { PathRow } from '#relay/types/path-row.ts';
import { anthropicBatchRows } from './batches/anthropic-batches.ts';
import { geminiBatchRows } from './batches/gemini-batches.ts';
import { openAiBatchRows } from './batches/openai-batches.ts';
import { openAiFineTuningRows } from './batches/openai-fine-tuning.ts';
import { genericVideoRows } from './dialects/generic-video/generic-video-dialect.ts';
import { googleVideoRows } from './dialects/google/google-video-dialect.ts';
import { interactionRows } from './dialects/google/interactions.ts';
import { jimengRows } from './dialects/jimeng/jimeng-dialect.ts';
import { klingRows } from './dialects/kling/kling-dialect.ts';
import { midjourneyRows } from './dialects/midjourney/midjourney-dialect.ts';
import { openAiVideoRows } from './dialects/openai-videos/videos-dialect.ts';
import { sunoRows } from './dialects/suno/suno-dialect.ts';
import { mediaRows } from './media/media-route.ts';

/** The paths of all task dialects. */
export const taskRows: readonly PathRow[] = [
  ...midjourneyRows,
  ...sunoRows,
  ...openAiVideoRows,
  ...genericVideoRows,
  ...klingRows,
  ...geminiBatchRows,
  ...interactionRows,
  ...googleVideoRows,
  ...jimengRows,
  ...mediaRows,
  ...openAiBatchRows,
  ...openAiFineTuningRows,
  ...anthropicBatchRows,
];
