import { isObject, type Json, textOr } from '#json.ts';
import type { MediaInput } from '#providers/video-order.ts';
import { invalidTask } from '#tasks/task-refusal.ts';
import { mediaInput } from '#tasks/dialects/video/fields.ts';

/** Google's own storage, which only Google's vendors read. */
const storageAddress = /^gs:\/\/[a-z0-9][\w.-]{1,250}\/\S{1,1000}$/;

/**
 * A picture or video in Google's forms: `bytesBase64Encoded`, `encodedVideo`, `data`, or an address; undefined: absent.
 * Throws a 400 that names the field.
 */
export function googleMedia(value: unknown, name: string): MediaInput | undefined {
  if (value === undefined || value === null) return undefined;
  if (!isObject(value)) throw invalidTask(`'${name}' is not valid: it must be an object.`, name);
  const address = firstText(value, ['gcsUri', 'uri']);
  if (storageAddress.test(address)) return { url: address };
  if (address !== '') return mediaInput(address, name);
  const base64 = firstText(value, ['bytesBase64Encoded', 'encodedVideo', 'data']);
  const type = firstText(value, ['mimeType', 'encoding', 'mime_type']);
  const found = mediaInput(type === '' ? base64 : `data:${type};base64,${base64}`, name);
  if (base64 === '' || !found) throw invalidTask(`'${name}' has neither bytes nor an address.`, name);
  return found;
}

const firstText = (value: Json, names: readonly string[]): string =>
  names.map((name) => textOr(value[name], '')).find((text) => text !== '') ?? '';
