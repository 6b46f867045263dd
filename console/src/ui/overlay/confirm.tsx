import { AlertDialog as Base } from '@base-ui/react/alert-dialog';
import { useRef, useState, type ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { cx } from '#ui/basic/cx.ts';
import { popupMotion, scrim } from './overlay.ts';

interface Props {
  /** A question with the verb and its object: "Delete channel azure-east?" */
  title: string;
  /** States the consequences. */
  text?: ReactNode;
  /** The verb on the button: "Delete channel". */
  action: string;
  /** Label of the button that cancels; "Keep" by default. */
  safe?: string | undefined;
  danger?: boolean | undefined;
  /** False if the action needs no server: it then works offline. */
  saves?: boolean | undefined;
  /** For irreversible bulk actions: the number to be typed before confirming. */
  typeCount?: number | undefined;
  /** If it returns a promise, the dialog waits and closes on success only. The callback reports its own failures. */
  onConfirm: () => unknown;
  onClose: () => void;
}

/** Asks before an irreversible action; the focus is on the button that cancels. Mount it to open it. */
export function Confirm(props: Props) {
  const { title, text, action, safe, danger = true, saves = true, typeCount, onConfirm, onClose } = props;
  const { t } = useTranslation('shared');
  const [open, setOpen] = useState(true);
  const [busy, setBusy] = useState(false);
  const [typed, setTyped] = useState('');
  const safeButton = useRef<HTMLButtonElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const ready = typeCount === undefined || typed.trim() === String(typeCount);
  const confirm = async () => {
    if (!ready || busy) return;
    setBusy(true);
    try {
      await onConfirm();
      setOpen(false);
    } catch {
      // The failed request shows its own error; the question stays open for another try.
    } finally {
      setBusy(false);
    }
  };
  return (
    <Base.Root
      open={open}
      onOpenChange={(next) => !busy && setOpen(next)}
      onOpenChangeComplete={(now) => !now && onClose()}
    >
      <Base.Portal>
        <Base.Backdrop className={scrim} forceRender />
        <Base.Viewport className="fixed inset-0 z-55 grid grid-cols-1 place-items-center overflow-y-auto p-4">
          <Base.Popup
            initialFocus={typeCount === undefined ? safeButton : input}
            className={cx(
              'floating w-full max-w-100 rounded-card p-6 shadow-dialog outline-none max-sm:p-4',
              popupMotion,
            )}
          >
            <Base.Title className="text-16 break-words">{title}</Base.Title>
            {text && <Base.Description className="mt-2 text-text2">{text}</Base.Description>}
            <form
              className="mt-4 flex flex-wrap items-center justify-end gap-2"
              onSubmit={(event) => {
                event.preventDefault();
                event.stopPropagation();
                void confirm();
              }}
            >
              {typeCount !== undefined && (
                <input
                  ref={input}
                  className="box min-w-24 flex-1"
                  inputMode="numeric"
                  autoComplete="off"
                  aria-label={t('typeCount', { count: typeCount })}
                  placeholder={t('typeCount', { count: typeCount })}
                  value={typed}
                  onChange={(event) => setTyped(event.target.value)}
                />
              )}
              <Button ref={safeButton} disabled={busy} onClick={() => setOpen(false)}>
                {safe ?? t('keep')}
              </Button>
              <Button type="submit" variant={danger ? 'danger' : 'primary'} saves={saves} busy={busy} disabled={!ready}>
                {action}
              </Button>
            </form>
          </Base.Popup>
        </Base.Viewport>
      </Base.Portal>
    </Base.Root>
  );
}
