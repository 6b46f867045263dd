import { lazy, Suspense } from 'react';
import { proofQuestion } from '#api/proof.ts';
import { useStore } from '#api/store.ts';
import { loadTexts } from '#i18n/i18n.ts';

const ProofDialog = lazy(async () => {
  const [{ ProofDialog: component }] = await Promise.all([import('./proof-dialog.tsx'), loadTexts('shared', 'proof')]);
  return { default: component };
});

/** Mount once, near the root: where people are asked who they are before what matters most. */
export function ProofMount() {
  const question = useStore(proofQuestion);
  if (!question) return null;
  return (
    <Suspense>
      <ProofDialog onAnswer={question.answer} />
    </Suspense>
  );
}
