import { geminiWire } from '#chat/codecs.ts';
import { writeGeminiRequest } from '#chat/gemini/write-gemini-request.ts';
import { isOn, type Fix } from './fixes.ts';
import type { ProviderWire } from './operation.ts';
import type { Statuses } from './upstream-errors.ts';

const categories = ['HARASSMENT', 'HATE_SPEECH', 'SEXUALLY_EXPLICIT', 'DANGEROUS_CONTENT'];

/** Safety filters; newer models have them off by default. */
const safetySettings = categories.map((name) => ({ category: `HARM_CATEGORY_${name}`, threshold: 'BLOCK_NONE' }));

/** Gemini's codec with filters off, because callers of other dialects cannot set them. */
export const unfilteredGeminiWire: ProviderWire = {
  ...geminiWire,
  writeRequest: (request, options) => writeGeminiRequest(request, { safetySettings, ...options }),
};

/** Enables code execution if the operator wants it and the caller has no tools. */
export const codeExecution: Fix = (body, call) =>
  isOn(call, 'code_execution') && body['tools'] === undefined ? { tools: [{ codeExecution: {} }] } : {};

/** HTTP statuses for Google's error names. An invalid key comes with 400. */
export const googleStatuses: Statuses = {
  INVALID_ARGUMENT: 400,
  FAILED_PRECONDITION: 400,
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  NOT_FOUND: 404,
  RESOURCE_EXHAUSTED: 429,
  INTERNAL: 500,
  UNAVAILABLE: 503,
  DEADLINE_EXCEEDED: 504,
};
