import type { SessionUser } from '@relay-hub/contract';
import { useMutation } from '@tanstack/react-query';
import { Fingerprint } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { canUsePasskeys, signInWithPasskey } from '#api/passkey.ts';
import { Button } from '#ui/basic/button.tsx';
import { Note } from '#ui/feedback/note.tsx';

/** Signs in with a passkey; hidden in browsers without passkeys. Needs the texts `secondStep`. */
export function PasskeyButton({ onSignedIn }: { onSignedIn: (user: SessionUser) => void }) {
  const { t } = useTranslation('secondStep');
  const signIn = useMutation({
    mutationFn: signInWithPasskey,
    meta: { quiet: true },
    onSuccess: (user) => user && onSignedIn(user),
  });
  if (!canUsePasskeys()) return null;
  return (
    <>
      <Button size="lg" icon={Fingerprint} busy={signIn.isPending} className="w-full" onClick={() => signIn.mutate()}>
        {t('passkey')}
      </Button>
      {signIn.isError && (
        <Note tone="bad" live>
          {/* A failed sign-in has no message. */}
          {signIn.error.message || t('refused')}
        </Note>
      )}
    </>
  );
}
