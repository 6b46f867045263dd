import type { Self, SessionUser } from '@relay-hub/contract';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { fetchSignedInUser } from '#api/failed-call.ts';
import { selfQuery } from '#api/self.ts';
import { currentUser, rememberUser, session, type EndedSession } from '#api/session.ts';
import { FirstStepForm } from '#domain/sign-in/first-step-form.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';
import { formatTimeOfDay } from '#ui/format/time.ts';
import { toast } from '#ui/feedback/toast.ts';
import { countUnsaved } from '#ui/overlay/use-leave-guard.ts';
import { discardPage } from '#app/discard-page.ts';
import { SignInAlternatives } from './sign-in-alternatives.tsx';
import { PageUser } from './page-user.tsx';

const SecondStep = lazy(async () => ({ default: (await import('#domain/sign-in/second-step.tsx')).SecondStep }));

/** Signs in again above the open page: the same user continues, any other user gets a new page. */
export function SessionEndedDialog({ ended, onClose }: { ended: EndedSession; onClose: () => void }) {
  const { t } = useTranslation('signInAgain');
  const [second, setSecond] = useState(false);
  const [over, setOver] = useState<string>();
  const place = useRef<HTMLDivElement>(null);
  const self = useQueryClient().getQueryData<Self>(selfQuery.queryKey);
  const [changes] = useState(countUnsaved);
  const { user, unsent } = ended;
  const toSave = unsent || changes > 0;
  const signedIn = (who: SessionUser) => {
    rememberUser(who);
    // Another user signed in; their page is loading.
    if (who.id === user.id) toast.success(t(toSave ? 'doneSave' : 'done'));
  };
  useSignedInElsewhere(signedIn);
  useFocusBack();
  const time = formatTimeOfDay(ended.endedAt / 1000).slice(0, 5);
  const kept = changes > 0 ? 'keptChanges' : unsent ? 'keptForm' : 'keptPage';
  const known = { username: user.username, email: self?.email ?? '' };
  return (
    <Dialog
      title={t(toSave ? 'titleSave' : 'title')}
      text={`${t('ended', { time })} ${t(kept, { count: changes })}`}
      width={440}
      onTop
      initialFocus={() => place.current?.querySelector<HTMLElement>('input:enabled:not([hidden])')}
      onClosing={stopAsking}
      onClose={onClose}
    >
      <div ref={place} className="grid grid-cols-1 gap-4">
        <PageUser user={user} email={known.email} onNotYou={() => discardPage('/login')} />
        {second ? (
          <Suspense>
            <SecondStep
              onSignedIn={signedIn}
              onBack={(why) => {
                setSecond(false);
                setOver(why);
              }}
            />
          </Suspense>
        ) : (
          <>
            <div>
              <FirstStepForm known={known} over={over} onSignedIn={signedIn} onSecondStep={() => setSecond(true)} />
            </div>
            <SignInAlternatives self={self} onSignedIn={signedIn} onSecondStep={() => setSecond(true)} />
          </>
        )}
      </div>
    </Dialog>
  );
}

/** Closes the dialog: the page stays readable, and the next request opens the dialog again. */
function stopAsking(): void {
  const { user, ended } = session.get();
  if (ended) session.set({ user, ended: { ...ended, asking: false } });
}

/** Checks the session when the window gets the focus: the sign-in in another window may not have been announced. */
function useSignedInElsewhere(onSignedIn: (user: SessionUser) => void): void {
  useEffect(() => {
    const look = async () => {
      const user = await fetchSignedInUser();
      if (user && session.get().ended && currentUser()) onSignedIn(user);
    };
    const onFocus = () => void look();
    addEventListener('focus', onFocus);
    return () => removeEventListener('focus', onFocus);
  });
}

/** Returns the focus to where it was; the dialog may unmount before it can do so. */
function useFocusBack(): void {
  const [opener] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      setTimeout(() => opener instanceof HTMLElement && opener !== document.body && opener.focus());
    },
    [opener],
  );
}
