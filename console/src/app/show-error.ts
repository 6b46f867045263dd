import { i18n } from '#i18n/t.ts';
import { ApiError } from '#api/api-error.ts';
import { proofNeeded } from '#api/proof.ts';
import { session } from '#api/session.ts';
import { loadTexts } from '#i18n/i18n.ts';
import { toast } from '#ui/feedback/toast.ts';

/** Shows a failed request as defined by the error catalogue; the server's message takes precedence. */
export async function showError(error: unknown): Promise<void> {
  // The user cancelled the authentication.
  if (error instanceof ApiError && error.code === proofNeeded) return;
  // The sign-in dialog or page handles it.
  if (error instanceof ApiError && error.status === 401 && !session.get().user) return;
  // A request of the first page can fail before the texts are loaded.
  await loadTexts('app');
  const t = i18n.translator('app');
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof ApiError && error.status === 405) toast.info(message);
  else toast.error(t('error.prefix', { message: message || t('error.unknown') }));
}
