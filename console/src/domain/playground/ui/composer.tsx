import { ArrowUp, Paperclip, Square } from 'lucide-react';
import {
  type ClipboardEvent,
  type DragEvent,
  type KeyboardEvent,
  useContext,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useStore } from '#api/store.ts';
import { Button, IconButton } from '#ui/basic/button.tsx';
import { toast } from '#ui/feedback/toast.ts';
import { SavingDisabled } from '#ui/form/saving-disabled.ts';
import { formatWhole } from '#ui/format/number.ts';
import type { Attachment, Mode } from '#domain/playground/playground-types.ts';
import { preloadMarkdown } from '#domain/playground/render/answer-text.tsx';
import { sendMessage, stopAll } from '#domain/playground/store/playground-calls.ts';
import { conversationStore, draftStore, isRunning, useSettings } from '#domain/playground/store/playground-store.ts';
import { dataUrlOf } from '#domain/playground/stream/data-url-of.ts';
import { FileChips } from './file-chips.tsx';
import { areValid } from './parameter-fields.tsx';

/** Bytes of one file, and of all files of a message. */
const MOST_BYTES = 20 * 1024 * 1024;

const textTypes: Record<string, string> = { md: 'text/markdown', csv: 'text/csv', json: 'application/json' };
const codeEnds = /\.(?:txt|log|ya?ml|toml|ini|tsx?|jsx?|py|go|rs|java|c|h|cpp|cs|rb|php|sh|sql|html?|css|xml)$/i;

/** The type by the browser, or by the name for the text files that browsers do not know. */
function typeOf({ name, type }: File): string {
  const end = name.split('.').pop()?.toLowerCase() ?? '';
  if (textTypes[end]) return textTypes[end];
  if (codeEnds.test(name)) return 'text/plain';
  return type || 'application/octet-stream';
}

/** The files as attachments, in their order. Rejects if one cannot be read. */
const readFiles = (files: readonly File[]): Promise<Attachment[]> =>
  Promise.all(
    files.map(async (file) => ({
      name: file.name,
      mime: typeOf(file),
      data: await base64Of(file),
      bytes: file.size,
    })),
  );

const base64Of = async (file: File): Promise<string> => (await dataUrlOf(file)).replace(/^[^,]*,/, '');

const accepted: Partial<Record<Mode, string>> = {
  transcription: 'audio/*,video/mp4,.m4a,.webm',
  video: 'image/png,image/jpeg,image/webp',
};

/** Id of the field for messages. */
export const messageBoxId = 'playground-message';

const useIsRunning = (): boolean =>
  useSyncExternalStore(conversationStore.subscribe, () => isRunning(conversationStore.get()));

/** Writes and sends messages. It does not follow the answers, so typing stays quick while they grow. */
export function Composer() {
  const { t } = useTranslation('playground');
  const settings = useSettings();
  const running = useIsRunning();
  const offline = useContext(SavingDisabled);
  const text = useStore(draftStore);
  const [files, setFiles] = useState<Attachment[]>([]);
  const [reading, setReading] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const box = useRef<HTMLTextAreaElement>(null);
  const { mode, models } = settings;
  const takesFiles = mode === 'chat' || mode === 'transcription' || mode === 'video';
  const isComplete =
    mode === 'transcription' ? files.length > 0 : text.trim() !== '' || (mode === 'chat' && files.length > 0);
  const canSend = isComplete && !running && !offline && models.length > 0 && areValid(settings);

  const add = async (chosen: File[]) => {
    if (chosen.length === 0) return;
    const bytes = [...files.map((file) => file.bytes), ...chosen.map(({ size }) => size)];
    if (bytes.reduce((sum, size) => sum + size, 0) > MOST_BYTES)
      return toast.warning(t('tooLarge', { limit: formatWhole(MOST_BYTES / 1024 / 1024) }));
    setReading(true);
    try {
      const read = await readFiles(chosen);
      setFiles((now) => (mode === 'chat' ? [...now, ...read] : read.slice(0, 1)));
    } catch {
      toast.error(t('unreadable'));
    }
    setReading(false);
  };
  const send = () => {
    if (!canSend) return;
    sendMessage(text, files);
    draftStore.set('');
    setFiles([]);
    box.current?.focus();
  };
  const stop = () => {
    stopAll();
    box.current?.focus(); // the button goes away
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && running) return stop();
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  const onPaste = (event: ClipboardEvent) => {
    const pasted = [...event.clipboardData.files];
    if (!takesFiles || pasted.length === 0) return;
    event.preventDefault();
    void add(pasted);
  };
  const onDrop = (event: DragEvent) => {
    const dropped = [...event.dataTransfer.files];
    if (!takesFiles || dropped.length === 0) return;
    event.preventDefault();
    void add(dropped);
  };
  return (
    <div className="flex-none px-6 pt-2 pb-3 max-sm:px-3 max-sm:pb-[max(12px,env(safe-area-inset-bottom))]">
      <form
        className="mx-auto max-w-180 rounded-card border border-control bg-card focus-within:border-focus focus-within:shadow-[0_0_0_1px_var(--color-focus)]"
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
        onDragOver={(event) => takesFiles && event.preventDefault()}
        onDrop={onDrop}
      >
        {files.length > 0 && (
          <div className="px-3 pt-3">
            <FileChips files={files} onRemove={(at) => setFiles((now) => now.filter((_, index) => index !== at))} />
          </div>
        )}
        <textarea
          ref={box}
          id={messageBoxId}
          rows={1}
          value={text}
          aria-label={t(`placeholder.${mode}`)}
          placeholder={t(`placeholder.${mode}`)}
          onChange={(event) => draftStore.set(event.target.value)}
          onFocus={preloadMarkdown}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
          className="block max-h-[40dvh] min-h-11 w-full resize-none bg-transparent px-3.5 pt-3 pb-1 text-14/5 outline-none [field-sizing:content] max-sm:text-16/6"
        />
        <div className="flex items-center gap-1 px-2 pb-2">
          {takesFiles && (
            <>
              <IconButton label={t('attach')} icon={Paperclip} busy={reading} onClick={() => input.current?.click()} />
              <input
                ref={input}
                type="file"
                hidden
                multiple={mode === 'chat'}
                accept={accepted[mode]}
                aria-label={t('attach')}
                onChange={(event) => {
                  void add([...(event.target.files ?? [])]);
                  event.target.value = '';
                }}
              />
            </>
          )}
          <span className="ml-auto pr-2 text-12 text-text3">
            <span className="max-sm:hidden">{t('enterSends')}</span>
          </span>
          {running ? (
            <Button icon={Square} onClick={stop}>
              {t('stopAnswer')}
            </Button>
          ) : (
            <Button type="submit" variant="primary" icon={ArrowUp} disabled={!canSend}>
              {t('send')}
            </Button>
          )}
        </div>
      </form>
      <p className="mx-auto mt-1.5 max-w-180 text-center text-12 text-text3 max-sm:hidden">{t('privacy')}</p>
    </div>
  );
}
