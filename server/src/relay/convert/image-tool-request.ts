import { noUsage } from '@relay-hub/contract';
import { objectOr, textOr } from '#json.ts';
import type { ChannelChoice, MediaReply, RelayCall, UpstreamRequest } from '#relay/types/call-types.ts';
import type { ToolParts } from '#relay/types/parsed-request.ts';
import { formFor, formType } from '#relay/forms/form.ts';
import { badRequest } from '#relay/reply/relay-error.ts';
import { namesAt } from '#relay/select/channel-offer.ts';
import type { AttemptResult } from '#relay/types/attempt-result.ts';
import { readReply } from '#relay/body/json-reply.ts';
import { spliceMembers } from '#relay/body/json-splice.ts';
import { imagesIn, incompleteJson, isImage, noImage } from './media-reply.ts';

const nothing = Buffer.alloc(0);

/**
 * A request of an image tool, whose bytes pass through to each channel that is tried. The billed name is the tool's; the
 * model in the body is set explicitly, by the channel's mapping.
 */
export function imageToolRequest(
  { request, body, dropped }: RelayCall,
  { channel, operation }: ChannelChoice,
): UpstreamRequest {
  const { form, tool } = request;
  if (!tool) throw badRequest('No channel supports this operation for this model.');
  const model = tool.model === undefined ? undefined : namesAt(channel, tool.model).upstream;
  const reader = {
    stream: undefined,
    streamType: undefined,
    reply: undefined,
    content: (result: AttemptResult): MediaReply => {
      const { json, isComplete } = readReply(result.body, operation.usage);
      if (!isComplete) throw incompleteJson();
      return chargedTool(tool, result.body, objectOr(json));
    },
    streamError: () => undefined,
  };
  if (!form)
    return { ...reader, body: model === undefined ? body : spliceMembers(body, { model: JSON.stringify(model) }) };
  const bytes = formFor(form, model, dropped?.names);
  const contentType = formType(form);
  return Buffer.isBuffer(bytes)
    ? { ...reader, body: bytes, contentType }
    : { ...reader, body: nothing, storedBody: bytes, contentType };
}

/** Vendor's units of an image at the usual rate. */
const USUAL_CREDITS = 40;

/** Charged are the images of the reply, at most those ordered. Throws `BadReply` for a reply without a result. */
function chargedTool({ images, rate }: ToolParts, body: Buffer, reply: ReturnType<typeof objectOr>): MediaReply {
  const made = isImage(reply['image']) || textOr(reply['id'], '') !== '' ? 1 : Math.min(images, imagesIn(body));
  if (made === 0) throw noImage();
  const credits = Number(reply['credits'] ?? Number.NaN);
  const factor = rate === 'by reply' ? (credits <= USUAL_CREDITS * made ? 1 : 2) : rate;
  const units = made * factor;
  return { usage: { ...noUsage, input: 1000 * units, units }, images: made };
}
