import type { Self, SessionUser } from '@relay-hub/contract';
import { useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { fetchSignedInUser } from '#api/failed-call.ts';
import { selfQuery } from '#api/self.ts';
import { currentUser, rememberUser, session, type EndedSession } from '#api/session.ts';
import { FirstStepForm } from '#domain/sign-in/first-step-form.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';
import { formatTimeOfDay } from '#ui/format/time.ts';
import { toast } from '#ui/feedback/toast.ts';
import { countUnsaved } from '#ui/overlay/use-leave-guard.ts';
import { discardPage } from '../discard-page.ts';
import { OtherWaysAgain } from './other-ways-again.tsx';
import { Who } from './who.tsx';

const SecondStep = lazy(async () => ({ default: (await import('#domain/sign-in/second-step.tsx')).SecondStep }));

/** Signs in again over the open page: the same user goes on with it, and nobody else sees it. */
export function EndedDialog({ ended, onClose }: { ended: EndedSession; onClose: () => void }) {
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
    // Somebody else's page is on its way by now.
    if (who.id === user.id) toast.success(t(toSave ? 'doneSave' : 'done'));
  };
  useSignedInElsewhere(signedIn);
  useClosedPopovers();
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
        <Who user={user} email={known.email} onNotYou={() => discardPage('/login')} />
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
            <OtherWaysAgain self={self} onSignedIn={signedIn} onSecondStep={() => setSecond(true)} />
          </>
        )}
      </div>
    </Dialog>
  );
}

/** The page stays as it is, to be read or copied from; whatever needs the server asks again. */
function stopAsking(): void {
  const { user, ended } = session.get();
  if (ended) session.set({ user, ended: { ...ended, asking: false } });
}

/** Whoever comes back to this window may have signed in meanwhile, where no message of it could get through. */
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

/** Who signs in again goes on where they were; the dialog may be gone before it can see to that itself. */
function useFocusBack(): void {
  const [opener] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      setTimeout(() => opener instanceof HTMLElement && opener !== document.body && opener.focus());
    },
    [opener],
  );
}

/** Open menus and lists are above every dialog; they close when the window changes. */
function useClosedPopovers(): void {
  useEffect(() => void dispatchEvent(new Event('resize')), []);
}
