import { Pencil } from 'lucide-react';
import { memo, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button, IconButton } from '#ui/basic/button.tsx';
import { CopyButton } from '#ui/basic/copy-button.tsx';
import { cx } from '#ui/basic/cx.ts';
import type { Round } from '#domain/playground/playground-types.ts';
import { PlainText } from '#domain/playground/render/plain-text.tsx';
import { resendMessage } from '#domain/playground/store/playground-calls.ts';
import type { PlaygroundModel } from '#domain/playground/use-playground-models.ts';
import { AnswerView } from './answer-view.tsx';
import { FileChips } from './file-chips.tsx';

interface Props {
  round: Round;
  models: readonly PlaygroundModel[];
}

const columns = ['', '', 'sm:grid-cols-2', 'sm:grid-cols-3', 'sm:grid-cols-2 xl:grid-cols-4'];

/** A message of the user and the answers side by side. */
export const RoundView = memo(function RoundView({ round, models }: Props) {
  const { t } = useTranslation('playground');
  const [editing, setEditing] = useState(false);
  const { text, files, answers } = round;
  return (
    <li className="flex flex-col gap-4">
      {editing ? (
        <MessageEditor round={round} onClose={() => setEditing(false)} />
      ) : (
        <div className="group flex flex-col items-end gap-1.5">
          <FileChips files={files} />
          {text !== '' && (
            <div
              role="group"
              aria-label={t('yourMessage')}
              className="max-h-80 max-w-[85%] min-w-0 overflow-y-auto rounded-card bg-fill px-3.5 py-2.5 text-14/6 break-words"
            >
              <PlainText text={text} />
            </div>
          )}
          <div className="-mb-3 flex gap-0.5 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 max-sm:opacity-100">
            <CopyButton text={text} name={t('yourMessage')} />
            <IconButton size="sm" iconSize={14} label={t('edit')} icon={Pencil} onClick={() => setEditing(true)} />
          </div>
        </div>
      )}
      <div className={cx('grid grid-cols-1 gap-x-6 gap-y-6', columns[answers.length])}>
        {answers.map((answer) => (
          <AnswerView key={answer.id} roundId={round.id} answer={answer} models={models} />
        ))}
      </div>
    </li>
  );
});

function MessageEditor({ round, onClose }: { round: Round; onClose: () => void }) {
  const { t } = useTranslation('playground');
  const [text, setText] = useState(round.text);
  const send = () => {
    onClose();
    resendMessage(round.id, text);
  };
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
      onKeyDown={(event) => event.key === 'Escape' && onClose()}
    >
      <textarea
        autoFocus
        aria-label={t('edit')}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          if (text.trim() !== '') send();
        }}
        className="box block max-h-80 min-h-20 resize-y py-2 text-14/6 [field-sizing:content]"
      />
      <div className="flex flex-wrap items-center justify-end gap-2">
        <span className="mr-auto text-12 text-text3">{t('editText')}</span>
        <Button size="sm" onClick={onClose}>
          {t('cancel')}
        </Button>
        <Button size="sm" type="submit" disabled={text.trim() === ''}>
          {t('resend')}
        </Button>
      </div>
    </form>
  );
}
