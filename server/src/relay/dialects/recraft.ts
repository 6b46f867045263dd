/** Recraft's own routes for changing images, below `/recraftAI/v1`. */
import { noUsage } from '@relay-hub/contract';
import type { Json } from '#json.ts';
import { fieldIn, filesIn, type Form } from '#relay/forms/form.ts';
import { badRequest, type RelayError } from '#relay/reply/relay-error.ts';
import { parseImages } from './open-ai-content.ts';
import { objectOf, optional } from './open-ai.ts';
import type { ParsedRequest, ToolParts } from '#relay/types/parsed-request.ts';

/** A route of one tool. It is billed as `recraft_<last part of its path>`, per image. */
export interface RecraftTool {
  name: string;
  /** The vendor's path. */
  path: string;
  /** It works with a model, which decides about the price. */
  hasModels: boolean;
  /** Names of the image in a JSON body and in a form. */
  image: readonly [json: string, form: string] | undefined;
}

const image = ['image_url', 'image'] as const;

const toolOf = (name: string, more: Partial<RecraftTool> = {}): RecraftTool => ({
  name,
  path: `/v1/images/${name}`,
  hasModels: false,
  image,
  ...more,
});

export const recraftTools: readonly RecraftTool[] = [
  ...['vectorize', 'removeBackground', 'crispUpscale', 'creativeUpscale', 'eraseRegion'].map((name) => toolOf(name)),
  // Names that the vendor has given up.
  toolOf('clarityUpscale', { path: '/v1/images/crispUpscale' }),
  toolOf('generativeUpscale', { path: '/v1/images/creativeUpscale' }),
  ...['imageToImage', 'inpaint', 'outpaint', 'replaceBackground', 'generateBackground'].map((name) =>
    toolOf(name, { hasModels: true }),
  ),
  toolOf('styles', { path: '/v1/styles', image: undefined }),
];

/** Path of a tool for callers. */
export const recraftPath = ({ name }: RecraftTool): string =>
  name === 'styles' ? '/recraftAI/v1/styles' : `/recraftAI/v1/images/${name}`;

/** Sent if a request names no model: the vendor's own default changes, and its price with it. */
const USUAL_MODEL = 'recraftv3';
/** Models with the price of the tools; of the others it is not known. */
const pricedModels = /^recraftv[23](?:_raster|_vector)?$/;
const MOST_IMAGES = 6;

interface ToolFields {
  model?: string | undefined;
  n?: number | undefined;
  style?: string | undefined;
  styleId?: string | undefined;
}

/** Parses the generation of an image. Throws a 400 that names the field. */
export function parseRecraftImages(json: unknown): ParsedRequest {
  const request = objectOf(json);
  if (request['model'] !== undefined && request['model'] !== null) return parseImages(request);
  return { ...parseImages({ ...request, model: USUAL_MODEL }), modelOmitted: true };
}

/** Parses a JSON request of a tool. Throws a 400 that names the field. */
export function parseTool(tool: RecraftTool, json: unknown): ParsedRequest {
  const request = objectOf(json);
  const text = (name: string) => optional(request, name, isText, 'a text');
  if (tool.image && !text(tool.image[0])) throw badRequest(`'${tool.image[0]}' is required.`, tool.image[0]);
  const n = optional(request, 'n', isCount, countText);
  return parsed(tool, { model: text('model'), n, style: text('style'), styleId: text('style_id') }, { json: request });
}

/** Parses a form of a tool. Throws a 400 that names the field. */
export function readToolForm(tool: RecraftTool, form: Form): ParsedRequest {
  if (tool.image) filesIn(form, tool.image[1], 'file');
  const text = fieldIn(form, 'n');
  const n = text === undefined ? undefined : Number(text);
  if (n !== undefined && !isCount(n)) throw badRequest(`'n' is not valid: it must be ${countText}.`, 'n');
  const [model, style, styleId] = ['model', 'style', 'style_id'].map((name) => fieldIn(form, name));
  return parsed(tool, { model, n, style, styleId }, { form });
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isCount = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MOST_IMAGES;
const countText = `a whole number from 1 to ${MOST_IMAGES}`;

function parsed(
  { name, hasModels }: RecraftTool,
  { model, n = 1, style = '', styleId }: ToolFields,
  body: { json: Json } | { form: Form },
): ParsedRequest {
  const toolModel = model || USUAL_MODEL;
  if (hasModels && !pricedModels.test(toolModel))
    throw badRequest(`'model' is not valid: ${name} is offered for recraftv2 and recraftv3.`, 'model');
  // A vector image costs twice as much; the kind of a caller's style is known by the credits of the reply.
  const isVector = toolModel.endsWith('_vector') || style.startsWith('vector_illustration');
  const rate = isVector ? 2 : styleId ? 'by reply' : 1;
  const tool: ToolParts = hasModels ? { model: toolModel, images: n, rate } : { model: undefined, images: 1, rate: 1 };
  const units = tool.images * (tool.rate === 1 ? 1 : 2);
  return {
    model: `recraft_${name}`,
    stream: false,
    wantsUsage: true,
    inputTokens: 0,
    outputLimit: 0,
    usesTools: false,
    usesImages: true,
    assumed: { ...noUsage, input: 1000 * units, units },
    tool,
    ...body,
  };
}

/** Refusals of an upstream have the vendor's own form, without a wrapper; undefined: another refusal. */
export function recraftErrorBody(refusal: RelayError, requestId: string): string | undefined {
  const { type, code, message, param } = refusal;
  if (type !== 'upstream_error') return undefined;
  return JSON.stringify({
    code,
    message: `${message} (request id: ${requestId})`,
    ...(param !== null && { param }),
    type,
  });
}
