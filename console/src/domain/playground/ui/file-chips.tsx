import { FileText, X } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Icon } from '#ui/basic/icon.tsx';
import type { Attachment } from '#domain/playground/playground-types.ts';
import { dataUrl, isImage } from '#domain/playground/request/chat-turns.ts';

interface Props {
  files: readonly Attachment[];
  onRemove?: ((index: number) => void) | undefined;
}

/** Pictures and files of a message. */
export function FileChips({ files, onRemove }: Props) {
  const { t } = useTranslation('playground');
  if (files.length === 0) return null;
  return (
    <ul className="flex flex-wrap gap-2">
      {files.map((file, index) => (
        <li
          key={index}
          className="relative flex max-w-50 items-center gap-2 overflow-hidden rounded-control border border-line bg-sunk text-12"
        >
          {isImage(file) ? (
            <img src={dataUrl(file)} alt={file.name} className="size-16 object-cover" />
          ) : (
            <span className="flex h-9 min-w-0 items-center gap-1.5 pr-8 pl-2.5">
              <Icon of={FileText} size={14} />
              <span className="truncate">{file.name}</span>
            </span>
          )}
          {onRemove && (
            <button
              type="button"
              aria-label={t('removeFile', { name: file.name })}
              onClick={() => onRemove(index)}
              className="absolute top-1 right-1 grid size-6 place-items-center rounded-full border border-line bg-card text-text2 hover:text-text"
            >
              <Icon of={X} size={12} />
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}
