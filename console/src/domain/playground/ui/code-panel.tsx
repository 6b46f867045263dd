import { Download } from 'lucide-react';
import { memo, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useServerAddress } from '#api/site.ts';
import { useStore } from '#api/store.ts';
import { Button } from '#ui/basic/button.tsx';
import { CopyButton } from '#ui/basic/copy-button.tsx';
import { saveFile } from '#ui/format/save-file.ts';
import { Segmented } from '#ui/form/segmented.tsx';
import { buildRequest } from '#domain/playground/request/build-request.ts';
import { codeLanguages, codeOf, type CodeLanguage } from '#domain/playground/request/show-code.ts';
import { codeOfStore, conversationStore } from '#domain/playground/store/playground-store.ts';
import type { Round, SentRequest } from '#domain/playground/playground-types.ts';

const names: Record<CodeLanguage, { name: string; file: string }> = {
  curl: { name: 'curl', file: 'call.sh' },
  python: { name: 'Python', file: 'call.py' },
  typescript: { name: 'TypeScript', file: 'call.ts' },
};
/** Pictures make a body too long to read; copies and files have all of it. */
const MOST_SHOWN = 30_000;

/** Stands for the next message, while there is none. */
const example: Round = { id: '', text: 'Hello', files: [], answers: [] };

/** Code of a sent request: of the chosen answer, or else the last one, or else an example of the next request. */
export function CodePanel() {
  const { rounds, settings } = useStore(conversationStore);
  const chosen = useStore(codeOfStore);
  const answer = rounds.flatMap((round) => round.answers).find(({ id }) => id === chosen) ?? rounds.at(-1)?.answers[0];
  if (answer) return <SentCode sent={answer.sent} model={answer.model} />;
  return <SentCode sent={buildRequest(settings, [example], 0)} />;
}

interface Props {
  sent: SentRequest | undefined;
  /** Who got it; left out for a request that was not sent. */
  model?: string;
}

/** Not drawn again for each piece of an answer, which changes nothing in its request. */
const SentCode = memo(function SentCode({ sent, model }: Props) {
  const { t } = useTranslation('playground');
  const [language, setLanguage] = useState<CodeLanguage>('curl');
  const address = useServerAddress();
  if (!sent) return <p className="text-13 text-text2">{t('codeTooLarge')}</p>;
  const code = codeOf(language, sent, address);
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <Segmented
        label={t('code')}
        value={language}
        options={codeLanguages.map((value) => ({ value, label: names[value].name }))}
        onChange={setLanguage}
      />
      <p className="text-12 text-text2">{model === undefined ? t('codeNext') : t('codeSent', { model })}</p>
      <pre
        tabIndex={0}
        role="group"
        aria-label={t('code')}
        className="max-h-[calc(100dvh-320px)] min-h-40 overflow-auto rounded-control border border-line bg-sunk px-3.5 py-3 font-mono text-12/5"
      >
        <code>{code.length > MOST_SHOWN ? `${code.slice(0, MOST_SHOWN)}…` : code}</code>
      </pre>
      <div className="flex flex-wrap gap-2">
        <CopyButton text={code} name={t('code')}>
          {t('copy')}
        </CopyButton>
        <Button size="sm" icon={Download} onClick={() => saveFile(names[language].file, code, 'text/plain')}>
          {names[language].file}
        </Button>
      </div>
      <p className="text-12 text-text3">{t('codeKey')}</p>
    </div>
  );
});
