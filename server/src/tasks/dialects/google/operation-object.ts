import type { Json } from '#json.ts';
import type { HttpContext } from '#relay/types/call-types.ts';
import { mediaAddress } from '#tasks/media/media-links.ts';
import type { TaskRow } from '#tasks/task-rows.ts';

/**
 * A task as Google's long-running operation. `form`: the Gemini API and Vertex AI place the video differently. Its
 * address is a signed one of this server in both.
 */
export function operationObject(
  context: HttpContext,
  task: TaskRow,
  { name, form }: { name: string; form: 'gemini' | 'vertex' },
): Json {
  const { status, fail_reason } = task;
  if (status === 'FAILURE' || status === 'CANCEL')
    // INTERNAL and CANCELLED.
    return { name, done: true, error: { code: status === 'CANCEL' ? 1 : 13, message: fail_reason } };
  if (status !== 'SUCCESS') return { name, metadata: { progressPercent: task.progress }, done: false };
  const files = task.media.map((file, index) => ({
    url: mediaAddress(context, task, index),
    type: file.type || 'video/mp4',
  }));
  if (form === 'vertex')
    return {
      name,
      done: true,
      response: {
        '@type': 'type.googleapis.com/cloud.ai.large_models.vision.GenerateVideoResponse',
        raiMediaFilteredCount: 0,
        videos: files.map(({ url, type }) => ({ gcsUri: url, mimeType: type })),
      },
    };
  const generatedSamples = files.map(({ url, type }) => ({ video: { uri: url, encoding: type } }));
  return { name, done: true, response: { generateVideoResponse: { generatedSamples } } };
}
