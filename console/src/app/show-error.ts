import i18next from 'i18next';
import { ApiError } from '#api/api-error.ts';
import { proofNeeded } from '#api/proof.ts';
import { session } from '#api/session.ts';
import { loadTexts } from '#i18n/i18n.ts';
import { toast } from '#ui/feedback/toast.ts';

/** Tells of a failed call as the error catalogue says; the server's own words come before ours. */
export async function showError(error: unknown): Promise<void> {
  // Somebody was asked who they are, and closed the question: they know.
  if (error instanceof ApiError && error.code === proofNeeded) return;
  // The sign-in dialog says so, or the sign-in page.
  if (error instanceof ApiError && error.status === 401 && !session.get().user) return;
  // A call of the first page can fail before its texts are there.
  await loadTexts('app');
  const t = i18next.getFixedT(null, 'app');
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof ApiError && error.status === 405) toast.info(message);
  else toast.error(t('error.prefix', { message: message || t('error.unknown') }));
}
