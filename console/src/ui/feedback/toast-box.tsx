import { Toast as Base } from '@base-ui/react/toast';
import { BellRing, CircleCheck, Clock3, Copy, Info, TriangleAlert, Undo2, X, Zap } from 'lucide-react';
import { useContext, useEffect, useRef, useSyncExternalStore } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { SavingDisabled } from '#ui/form/saving-disabled.ts';
import { IconButton } from '#ui/basic/button.tsx';
import { Kbd } from '#ui/basic/chip.tsx';
import { cx } from '#ui/basic/cx.ts';
import { Icon } from '#ui/basic/icon.tsx';
import { useLatest } from '#ui/basic/use-latest.ts';
import { ProgressBar } from './progress-bar.tsx';
import { type ToastKind, type ToastMessage, toastStore } from './toast-store.ts';

const mac = /mac|iphone|ipad/i.test(navigator.userAgent);
const undoKey = mac ? '⌘Z' : 'Ctrl Z';

/** Undo callbacks of the visible toasts, oldest first. */
const offers: (() => void)[] = [];

function onKey(event: KeyboardEvent): void {
  if (event.key.toLowerCase() !== 'z' || !(mac ? event.metaKey : event.ctrlKey) || event.shiftKey || event.altKey)
    return;
  // In a text field the shortcut undoes typing.
  if (event.target instanceof Element && event.target.closest('input, textarea, [contenteditable]')) return;
  // Key repeat: holding the key is one press.
  if (event.repeat) return event.preventDefault();
  const newest = offers.at(-1);
  if (!newest) return;
  event.preventDefault();
  newest();
}

/** ⌘Z and Ctrl+Z undo the latest change while its toast is visible: a toast is far from the keyboard focus. */
function useUndoKey(undo: (() => void) | undefined): void {
  const latest = useLatest(undo);
  const isOffered = undo !== undefined;
  useEffect(() => {
    if (!isOffered) return;
    const offer = () => latest.current?.();
    if (offers.push(offer) === 1) addEventListener('keydown', onKey);
    return () => {
      offers.splice(offers.indexOf(offer), 1);
      if (offers.length === 0) removeEventListener('keydown', onKey);
    };
  }, [isOffered, latest]);
}

const looks: Record<ToastKind, { icon: typeof X; tone: string }> = {
  success: { icon: CircleCheck, tone: 'text-ok' },
  info: { icon: Info, tone: 'text-text2' },
  warning: { icon: Clock3, tone: 'text-warn' },
  error: { icon: TriangleAlert, tone: 'text-bad' },
  notice: { icon: BellRing, tone: 'text-text2' },
  copy: { icon: Copy, tone: 'text-warn' },
  undo: { icon: Undo2, tone: 'text-text2' },
  progress: { icon: Zap, tone: 'text-text2' },
};

export function ToastBox({ toast, message }: { toast: Base.Root.ToastObject; message: ToastMessage }) {
  const { t } = useTranslation('shared');
  const { close } = Base.useToastManager();
  const { icon, tone } = looks[message.kind];
  const isUndo = message.kind === 'undo';
  const isClosing = toast.transitionStatus === 'ending';
  const acted = useRef(false);
  // Undo is disabled while offline and available again on reconnect.
  const away = useContext(SavingDisabled) && isUndo;
  const act = () => {
    // A second press can come before the toast is gone.
    if (acted.current || away) return;
    acted.current = true;
    message.action?.onClick();
    close(toast.id);
  };
  // While this toast fades out, the shortcut undoes the previous change.
  useUndoKey(isUndo && !isClosing ? act : undefined);
  return (
    <Base.Root
      toast={toast}
      // Base UI's default role is dialog; a toast is no dialog for the rest of the page.
      role={message.kind === 'error' ? 'alert' : 'group'}
      aria-modal={undefined}
      tabIndex={-1}
      // Swiping would prevent text selection.
      swipeDirection={[]}
      className="floating pointer-events-auto w-90 max-w-[calc(100vw-32px)] rounded-card py-1.5 pr-1.5 pl-3.5 text-13 shadow-menu transition-[opacity,translate] duration-225 ease-out data-ending-style:-translate-x-full data-ending-style:opacity-0 data-ending-style:duration-195 data-starting-style:-translate-x-full data-starting-style:opacity-0 max-sm:mx-auto max-sm:data-ending-style:translate-x-0 max-sm:data-ending-style:translate-y-full max-sm:data-starting-style:translate-x-0 max-sm:data-starting-style:translate-y-full"
    >
      <div className="flex items-start gap-2.5">
        <Icon of={icon} size={18} className={cx('mt-2', tone)} />
        <div className="min-w-0 flex-1 py-2">
          <Base.Title render={<p />} className="font-title break-words">
            {message.text}
          </Base.Title>
          {message.detail && <p className="mt-0.5 break-words text-text2">{message.detail}</p>}
          {message.manual !== undefined && <ManualCopy text={message.manual} label={message.text} />}
        </div>
        {message.key !== undefined && <Count id={message.key} />}
        {message.action && (
          <button
            type="button"
            onClick={act}
            {...(isUndo && { 'aria-keyshortcuts': 'Control+Z Meta+Z' })}
            {...(away && { 'aria-disabled': true })}
            className="touch rounded-tile px-2 py-2 font-title whitespace-nowrap text-accent hover:underline aria-disabled:text-text3 aria-disabled:no-underline"
          >
            {message.action.label}
            {isUndo && (
              <span aria-hidden className="ml-1.5 max-sm:hidden">
                <Kbd>{undoKey}</Kbd>
              </span>
            )}
          </button>
        )}
        {message.kind !== 'progress' && (
          <IconButton label={t('dismiss')} icon={X} iconSize={16} onClick={() => close(toast.id)} />
        )}
      </div>
      {message.key !== undefined && <Bar id={message.key} label={message.text} />}
    </Base.Root>
  );
}

function ManualCopy({ text, label }: { text: string; label: string }) {
  return (
    <textarea
      readOnly
      aria-label={label}
      value={text}
      rows={Math.min(4, text.split('\n').length)}
      onFocus={(event) => event.target.select()}
      className="mt-2 w-full resize-none rounded-tile border border-line2 bg-sunk px-2 py-1.5 font-mono text-12 break-all"
    />
  );
}

const useProgress = (id: string) => useSyncExternalStore(toastStore.subscribe, () => toastStore.progressOf(id));

function Count({ id }: { id: string }) {
  const { t } = useTranslation('shared');
  const progress = useProgress(id);
  return (
    progress && (
      <span className="py-2 text-text2 tabular-nums">
        {t('progress', { done: progress.done, total: progress.total })}
      </span>
    )
  );
}

function Bar({ id, label }: { id: string; label: string }) {
  const progress = useProgress(id);
  return (
    progress && <ProgressBar className="mt-0.5 mr-2 mb-2" label={label} value={progress.done} max={progress.total} />
  );
}
