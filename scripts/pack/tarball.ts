import { gzipSync } from 'node:zlib';

export interface PackedFile {
  /** Path in the archive, with `/`; at most 100 bytes after a folder of at most 155. */
  name: string;
  content: string | Buffer;
  executable?: boolean;
}

const BLOCK = 512;
/** The time that npm gives all files of a package: archives of the same files are the same. */
const TIME_S = 499_162_500;

/** A gzipped ustar archive of files. Throws for a name that is too long. */
export function tarball(files: readonly PackedFile[]): Buffer {
  const blocks = files.flatMap((file) => {
    const content = Buffer.from(file.content);
    return [headerOf(file, content.length), content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]), { level: 6 });
}

/** https://www.gnu.org/software/tar/manual/html_node/Standard.html */
function headerOf({ name, executable = false }: PackedFile, size: number): Buffer {
  const [folder, rest] = splitName(name);
  const header = Buffer.alloc(BLOCK);
  const octal = (value: number, at: number, length: number) =>
    header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1');
  header.write(rest, 0, 'utf8');
  octal(executable ? 0o755 : 0o644, 100, 8);
  octal(0, 108, 8);
  octal(0, 116, 8);
  octal(size, 124, 12);
  octal(TIME_S, 136, 12);
  header.write('        ', 148, 'latin1'); // counted as blanks in the checksum
  header.write('0', 156, 'latin1'); // a regular file
  header.write('ustar\x0000', 257, 'latin1');
  header.write(folder, 345, 'utf8');
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return header;
}

function splitName(name: string): [folder: string, rest: string] {
  if (Buffer.byteLength(name) <= 100) return ['', name];
  for (let at = name.indexOf('/'); at >= 0; at = name.indexOf('/', at + 1)) {
    const [folder, rest] = [name.slice(0, at), name.slice(at + 1)];
    if (Buffer.byteLength(folder) <= 155 && Buffer.byteLength(rest) <= 100) return [folder, rest];
  }
  throw new Error(`${name} is too long for an archive`);
}
