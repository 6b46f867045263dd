/** Requests and results of Google's Veo, which the Gemini API and Vertex AI have in common. */
import { isObject, type Json, listOr, objectOr, textOr } from '#json.ts';
import type { ReportedMedia, TaskReport } from '../task-operation.ts';
import { BadTaskRequest, type MediaInput, type VideoOrder } from '../video-order.ts';
import type { VideoTerms } from '../video-prices.ts';
import { choiceOf, failedReport, given, MODERATED, secondsOf, withMedia } from './video-rules.ts';

/** The default length is one that every version can make. */
export const veoTerms = (video: VideoOrder): VideoTerms & { resolution: string } => ({
  seconds: secondsOf(video, 8, [4, 8]),
  resolution: choiceOf(video, 'resolution', '720p', ['720p', '1080p', '4k']),
});

const MOST_REFERENCES = 3;

/** A request in both APIs. `image` writes an input. Throws `BadTaskRequest` for what the model cannot do. */
export function veoBody(
  video: VideoOrder,
  model: string,
  image: (input: MediaInput, param: string) => Json,
): { instances: [Json]; parameters: Json } {
  const { prompt, negativePrompt, firstFrame, lastFrame, references = [], extra } = video;
  const { seconds, resolution } = veoTerms(video);
  const isOld = model.startsWith('veo-2');
  if (isOld ? seconds < 5 : seconds % 2 !== 0)
    throw new BadTaskRequest(`'seconds' must be ${isOld ? '5 to 8' : '4, 6 or 8'} for this model.`, 'seconds');
  if (isOld && resolution !== '720p')
    throw new BadTaskRequest("'resolution' must be 720p for this model.", 'resolution');
  if (references.length > MOST_REFERENCES)
    throw new BadTaskRequest(`At most ${MOST_REFERENCES} reference images are possible.`, 'references');
  const instance = given({
    prompt,
    image: firstFrame && image(firstFrame, 'firstFrame'),
    lastFrame: lastFrame && image(lastFrame, 'lastFrame'),
    referenceImages: references.map((one) => ({ image: image(one, 'references'), referenceType: 'ASSET' })),
  });
  const parameters = given({
    ...extra,
    sampleCount: 1,
    durationSeconds: seconds,
    aspectRatio: choiceOf(video, 'ratio', '16:9', ['16:9', '9:16']),
    resolution: isOld ? undefined : resolution,
    negativePrompt,
  });
  return { instances: [instance], parameters };
}

/** The bytes of an input; an address is not fetched. */
export function inlineImage(input: MediaInput, param: string): Json {
  if ('url' in input) throw new BadTaskRequest('Veo takes images as bytes only, not by their address.', param);
  return { bytesBase64Encoded: input.base64, mimeType: input.type };
}

/** The state of an operation. `filesIn` reads the files of its response. */
export function veoReport(
  upstreamId: string,
  operation: Json,
  filesIn: (response: Json) => readonly (ReportedMedia | undefined)[],
): TaskReport {
  if (operation['done'] !== true) return { upstreamId, status: 'IN_PROGRESS', hasResult: false };
  const { error } = operation;
  if (isObject(error)) return failedReport(upstreamId, textOr(error['message'], ''));
  const response = objectOr(operation['response']);
  const report = withMedia({ upstreamId, status: 'SUCCESS', hasResult: false }, filesIn(response));
  const found = isObject(response['generateVideoResponse']) ? response['generateVideoResponse'] : response;
  // Filtered videos are not billed.
  if (!report.hasResult && Number(found['raiMediaFilteredCount']) > 0) {
    const reasons = listOr(found['raiMediaFilteredReasons']).filter((one) => typeof one === 'string');
    return failedReport(upstreamId, [MODERATED, ...reasons].join(' '));
  }
  return { ...report, data: { done: true, files: report.media?.length ?? 0 } };
}
