import { useQueryClient } from '@tanstack/react-query';
import { useRouterState } from '@tanstack/react-router';
import { lazy, useEffect, useRef, useState } from 'react';
import { askToSignIn } from '#api/failed-call.ts';
import { proofQuestion } from '#api/proof.ts';
import { forgetUser, session, type EndedSession } from '#api/session.ts';
import { useStore } from '#api/store.ts';
import { loadTexts } from '#i18n/i18n.ts';

// Imported in two steps, so that the first load does not list all files of the dialogs.
const texts = () => loadTexts('shared', 'signInAgain', 'login', 'secondStep');
const SessionEndedBar = lazy(async () => {
  const [{ SessionEndedBar: component }] = await Promise.all([import('./session-ended-bar.tsx'), texts()]);
  return { default: component };
});
const SessionEndedDialog = lazy(async () => {
  const [{ SessionEndedDialog: component }] = await Promise.all([import('./session-ended-dialog.tsx'), texts()]);
  return { default: component };
});
const ProofDialog = lazy(async () => {
  const [{ ProofDialog: component }] = await Promise.all([import('./proof-dialog.tsx'), texts()]);
  return { default: component };
});

/** Authenticates again: after the session has ended (the page stays below), and before sensitive actions. */
export function SignInAgain() {
  const question = useStore(proofQuestion);
  const { ended } = useStore(session);
  useWayOfPage(ended !== undefined);
  useFreshQueries(ended !== undefined);
  // A proof is pointless without a session, and signing in again is proof enough.
  const lost = ended && question;
  useEffect(() => lost?.answer(false), [lost]);
  if (ended) return <Ended ended={ended} />;
  return question ? <ProofDialog onAnswer={question.answer} /> : null;
}

function Ended({ ended }: { ended: EndedSession }) {
  // A request refused while the dialog closes opens the next one.
  const [nth, setNth] = useState(0);
  const [shown, setShown] = useState(-1);
  const typing = useTyping();
  if (ended.asking && shown !== nth && (ended.pressed || !typing)) setShown(nth);
  if (shown === nth) return <SessionEndedDialog key={nth} ended={ended} onClose={() => setNth(nth + 1)} />;
  return <SessionEndedBar />;
}

const pauseMs = 1500;

/** Whether a text field has the focus: the next keys must not go into the dialog's password field. */
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

/** Reloads the page's data after signing in; requests that wait for the session continue by themselves. */
function useFreshQueries(isEnded: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    if (!isEnded) return undefined;
    return () => {
      if (session.get().user) void client.invalidateQueries({}, { cancelRefetch: false });
    };
  }, [isEnded, client]);
}

/** Without a session, navigation within the console opens the dialog again; leaving the console signs out. */
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
