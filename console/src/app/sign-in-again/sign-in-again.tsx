import { useQueryClient } from '@tanstack/react-query';
import { useRouterState } from '@tanstack/react-router';
import { lazy, useEffect, useRef, useState } from 'react';
import { askToSignIn } from '#api/failed-call.ts';
import { proofQuestion } from '#api/proof.ts';
import { forgetUser, session, type EndedSession } from '#api/session.ts';
import { useStore } from '#api/store.ts';
import { loadTexts } from '#i18n/i18n.ts';

// Imported in two steps, so that what every page loads need not name all the files of the dialogs.
const texts = () => loadTexts('shared', 'signInAgain', 'login', 'secondStep');
const EndedBar = lazy(async () => {
  const [{ EndedBar: component }] = await Promise.all([import('./ended-bar.tsx'), texts()]);
  return { default: component };
});
const EndedDialog = lazy(async () => {
  const [{ EndedDialog: component }] = await Promise.all([import('./ended-dialog.tsx'), texts()]);
  return { default: component };
});
const ProofDialog = lazy(async () => {
  const [{ ProofDialog: component }] = await Promise.all([import('./proof-dialog.tsx'), texts()]);
  return { default: component };
});

/** Asks who somebody is: after the session has ended, with the page kept below, and before what matters most. */
export function SignInAgain() {
  const question = useStore(proofQuestion);
  const { ended } = useStore(session);
  useWayOfPage(ended !== undefined);
  useFreshQueries(ended !== undefined);
  // A question to a session that is over has no answer; whoever signs in again has proved enough.
  const lost = ended && question;
  useEffect(() => lost?.answer(false), [lost]);
  if (ended) return <Ended ended={ended} />;
  return question ? <ProofDialog onAnswer={question.answer} /> : null;
}

function Ended({ ended }: { ended: EndedSession }) {
  // A press that is refused while the dialog closes opens the next one.
  const [nth, setNth] = useState(0);
  const [shown, setShown] = useState(-1);
  const typing = useTyping();
  if (ended.asking && shown !== nth && (ended.pressed || !typing)) setShown(nth);
  if (shown === nth) return <EndedDialog key={nth} ended={ended} onClose={() => setNth(nth + 1)} />;
  return <EndedBar />;
}

const pauseMs = 1500;

/** Whether somebody types in a field: what they type next must not land in the password of a dialog. */
function useTyping(): boolean {
  const [typing, setTyping] = useState(() => document.activeElement?.matches('input, textarea') === true);
  useEffect(() => {
    if (!typing) return undefined;
    const start = () => setTimeout(() => setTyping(false), pauseMs);
    let timer = start();
    const onKeyDown = () => {
      clearTimeout(timer);
      timer = start();
    };
    addEventListener('keydown', onKeyDown, true);
    return () => {
      clearTimeout(timer);
      removeEventListener('keydown', onKeyDown, true);
    };
  }, [typing]);
  return typing;
}

/** What the page shows is read again once there is a session; what waits for it goes on by itself. */
function useFreshQueries(isEnded: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    if (!isEnded) return undefined;
    return () => {
      if (session.get().user) void client.invalidateQueries({}, { cancelRefetch: false });
    };
  }, [isEnded, client]);
}

/** Without a session another page of the console asks again, and leaving the console is signing out. */
function useWayOfPage(isEnded: boolean): void {
  const path = useRouterState({ select: ({ location }) => location.pathname });
  const first = useRef(path);
  useEffect(() => {
    if (!isEnded || path === first.current) return;
    first.current = path;
    if (path.startsWith('/panel')) askToSignIn();
    else forgetUser();
  }, [isEnded, path]);
}
