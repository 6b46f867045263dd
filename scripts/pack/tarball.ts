import { gzipSync } from 'node:zlib';
import { packTar } from 'modern-tar';

export interface PackedFile {
  /** Path in the archive, with `/`. */
  name: string;
  content: string | Buffer;
  executable?: boolean;
}

/** The time that npm gives all files of a package: archives of the same files are the same. */
const TIME_MS = 499_162_500_000;

/** A gzipped tar archive of files. */
export async function tarball(files: readonly PackedFile[]): Promise<Buffer> {
  const archive = await packTar(
    files.map(({ name, content, executable = false }) => {
      const body = Buffer.from(content);
      const mode = executable ? 0o755 : 0o644;
      return { header: { name, size: body.length, mode, mtime: new Date(TIME_MS), type: 'file' }, body };
    }),
  );
  return gzipSync(archive, { level: 6 });
}
