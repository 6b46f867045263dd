import type { Envelope } from '@relay-hub/contract';
import i18next from 'i18next';
import { loadTexts } from '#i18n/i18n.ts';
import { ApiError } from './api-error.ts';

/**
 * The error for an answer that is no success. A status without words, as a proxy on the way gives it, gets ours; an
 * envelope that only says no has none, and whoever asked knows what that means.
 */
export async function refusalOf(status: number, envelope: Envelope<unknown> | undefined): Promise<ApiError> {
  const told = envelope?.message ?? '';
  return new ApiError({ ...envelope, status, message: told || (status >= 400 ? await wordsFor(status) : '') });
}

async function wordsFor(status: number): Promise<string> {
  // A call of the first page can fail before its texts are there.
  await loadTexts('app');
  const t = i18next.getFixedT(null, 'app');
  switch (status) {
    case 405:
      return t('error.demo');
    case 413:
      return t('error.tooLarge');
    case 429:
      return t('error.tooMany');
    case 500:
      return t('error.server');
    default:
      return t('error.status', { status });
  }
}
