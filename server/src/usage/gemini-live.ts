import { isObject } from '#json.ts';
import { gemini } from './gemini.ts';
import type { UsageFormat } from './usage-format.ts';

/** Google's live sessions, which call the answer a response. https://ai.google.dev/api/live#UsageMetadata */
export const geminiLive: UsageFormat = {
  ...gemini,
  read: (raw) =>
    gemini.read(
      isObject(raw) && raw['responseTokenCount'] !== undefined
        ? {
            ...raw,
            candidatesTokenCount: raw['responseTokenCount'],
            candidatesTokensDetails: raw['responseTokensDetails'],
          }
        : raw,
    ),
};
