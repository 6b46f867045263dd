import { createHash } from 'node:crypto';
import { objectOr, textOr } from '#json.ts';
import { BadChatRequest, BadReply } from '#chat/chat-errors.ts';
import { Fields } from '#chat/fields.ts';
import type { Content, Conversion } from '../operation.ts';
import { nearestRatio } from './aspect-ratio.ts';

const ratios = ['1:1', '16:9', '21:9', '2:3', '3:2', '4:5', '5:4', '9:16', '9:21'];

/** Path of a model: Core, Ultra, or one of the Stable Diffusion models, which the form names. */
export const stabilityPath = (model: string): string => `/stable-image/generate/${serviceOf(model)}`;

const serviceOf = (model: string): string => /(?:^|-)(core|ultra)$/.exec(model)?.[1] ?? 'sd3';

/** Vendor's fields that a caller may add. */
const extras = ['negative_prompt', 'style_preset', 'cfg_scale'];

/**
 * OpenAI's image generation through Stable Image, which takes a form and makes one picture. Source: the vendor's
 * reference of v2beta, https://platform.stability.ai/docs/api-reference#tag/Generate
 */
export const stabilityImages: Conversion = {
  request(body, { model }) {
    const fields = new Fields(body);
    if ((fields.whole('n', 1) ?? 1) > 1) throw new BadChatRequest('The model makes one picture at a time.', 'n');
    const ratio = fields.text('aspect_ratio') ?? nearestRatio(fields.text('size'), ratios);
    const seed = fields.whole('seed');
    const more = extras.flatMap((name) => {
      const value = body[name];
      return typeof value === 'string' || typeof value === 'number' ? [[name, value] as const] : [];
    });
    return multipart({
      prompt: fields.needText('prompt'),
      ...(serviceOf(model) === 'sd3' && { model }),
      ...(ratio && { aspect_ratio: ratio }),
      ...(seed !== undefined && { seed }),
      output_format: fields.oneOf('output_format', ['png', 'jpeg', 'webp']) ?? 'png',
      ...Object.fromEntries(more),
    });
  },
  reply(content) {
    const reply = 'json' in content ? objectOr(content.json) : {};
    const bytes = textOr(reply['image'], '');
    if (reply['finish_reason'] === 'CONTENT_FILTERED')
      throw new BadReply({ code: 'prompt_blocked', message: 'The picture was withheld by the content filter.' });
    if (bytes === '') throw new BadReply({ code: 'bad_reply', message: 'the answer holds no picture' });
    return { json: { created: Math.floor(Date.now() / 1000), data: [{ b64_json: bytes }] } };
  },
};

/** A form of texts. The boundary is a hash of them, so none of them can contain it. */
function multipart(fields: Readonly<Record<string, string | number>>): Content {
  const pairs = Object.entries(fields).map(([name, value]) => [name, String(value)] as const);
  const boundary = createHash('sha256').update(JSON.stringify(pairs)).digest('hex').slice(0, 32);
  const parts = pairs.map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  return {
    bytes: Buffer.from(`${parts.join('')}--${boundary}--\r\n`),
    contentType: `multipart/form-data; boundary=${boundary}`,
  };
}
