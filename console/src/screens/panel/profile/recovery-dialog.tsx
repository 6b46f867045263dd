import { Download, KeyRound } from 'lucide-react';
import { useRef } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { CopyButton } from '#ui/basic/copy-button.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';
import { saveFile } from '#ui/format/save-file.ts';

/** New recovery codes, shown only once. */
export function RecoveryDialog({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const { t } = useTranslation('secondFactor');
  const copy = useRef<HTMLButtonElement>(null);
  const lines = codes.join('\n');
  return (
    <Dialog
      title={t('codesTitle')}
      text={t('codesText')}
      icon={KeyRound}
      iconTone="text-accent"
      initialFocus={copy}
      onClose={onClose}
      footer={(close) => (
        <>
          <Button
            icon={Download}
            className="mr-auto"
            onClick={() => saveFile(`${t('codesFile')}.txt`, `${lines}\n`, 'text/plain')}
          >
            {t('codesSave')}
          </Button>
          <Button variant="ghost" onClick={close}>
            {t('codesDone')}
          </Button>
          <CopyButton text={lines} name={t('codesName')} variant="primary" size="md" ref={copy}>
            {t('codesCopy')}
          </CopyButton>
        </>
      )}
    >
      <ol className="grid grid-cols-2 gap-x-4 rounded-card border border-line bg-sunk px-4 py-2 max-sm:grid-cols-1">
        {codes.map((code) => (
          <li key={code} className="flex h-8 items-center font-mono text-13 select-all">
            {code}
          </li>
        ))}
      </ol>
    </Dialog>
  );
}
