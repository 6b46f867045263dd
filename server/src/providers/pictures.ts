import type { Pictures } from './operation.ts';

/**
 * Claude outside Anthropic's own API, and other models on Bedrock.
 * https://platform.claude.com/docs/en/build-with-claude/vision
 */
export const claudePictures: Pictures = { types: ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] };

/**
 * Google fetches from its own stores; other addresses only for some models.
 * https://ai.google.dev/gemini-api/docs/image-understanding
 */
export const geminiPictures: Pictures = {
  types: ['image/png', 'image/jpeg', 'image/webp', 'image/heic', 'image/heif'],
  takes: (address) => /^(?:gs:\/\/|https:\/\/generativelanguage\.googleapis\.com\/)/.test(address),
};
