import i18next from 'i18next';
import { ApiError } from '#api/api-error.ts';
import { proofNeeded } from '#api/proof.ts';
import { loadTexts } from '#i18n/i18n.ts';
import { toast } from '#shared/toast.ts';

/** Tells of a failed call as the error catalogue says; the server's own words come before ours. */
export async function showError(error: unknown): Promise<void> {
  // Somebody was asked who they are, and closed the question: they know.
  if (error instanceof ApiError && error.code === proofNeeded) return;
  // A call of the first page can fail before its texts are there.
  await loadTexts('app');
  const t = i18next.getFixedT(null, 'app');
  const { status, message } = factsOf(error);
  const prefixed = (text: string) => t('error.prefix', { message: text });
  if (status === 405) toast.info(message || t('error.demo'));
  else if (message) toast.error(prefixed(message));
  else if (status === 429) toast.error(t('error.tooMany'));
  else if (status === 500) toast.error(t('error.server'));
  else toast.error(prefixed(status >= 400 ? t('error.status', { status }) : t('error.unknown')));
}

function factsOf(error: unknown): { status: number; message: string } {
  if (error instanceof ApiError) return error;
  return { status: 0, message: error instanceof Error ? error.message : String(error) };
}
