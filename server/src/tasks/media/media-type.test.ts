import { describe, expect, test } from 'vitest';
import { rangeWithin, singleRange } from './byte-range.ts';
import { claimedType, extensionOf, isShownInline, mediaTypeOf } from './media-type.ts';

const bytes = (text: string): Buffer => Buffer.from(text, 'latin1');

describe('the type of a file', () => {
  test.each([
    ['\x89PNG\r\n\x1a\n....', 'image', 'image/png'],
    ['\xff\xd8\xff\xe0....', 'image', 'image/jpeg'],
    ['GIF89a....', 'image', 'image/gif'],
    ['RIFF\0\0\0\0WEBPVP8 ', 'image', 'image/webp'],
    ['RIFF\0\0\0\0WAVEfmt ', 'audio', 'audio/wav'],
    ['\0\0\0\x1cftypavif....', 'image', 'image/avif'],
    ['\0\0\0\x1cftypisom....', 'video', 'video/mp4'],
    ['\0\0\0\x1cftypM4A ....', 'audio', 'audio/mp4'],
    ['\0\0\0\x1cftypqt  ....', 'video', 'video/quicktime'],
    ['\x1aE\xdf\xa3....webm', 'video', 'video/webm'],
    ['OggS....', 'audio', 'audio/ogg'],
    ['ID3\x04....', 'audio', 'audio/mpeg'],
    ['\xff\xfb\x90....', 'audio', 'audio/mpeg'],
    ['\xff\xf1\x50....', 'audio', 'audio/aac'],
    ['<?xml version="1.0"?>\n<svg xmlns="x">', 'image', 'image/svg+xml'],
    ['<!doctype html><svg>', 'image', undefined],
    ['<script>alert(1)</script>', 'image', undefined],
    ['MZ\x90\0', 'video', undefined],
    ['', 'image', undefined],
  ] as const)('%j as %s is %s by its first bytes', (head, kind, type) => {
    expect(mediaTypeOf(bytes(head), kind)).toBe(type);
  });

  test('a claim counts only for known types, and an SVG is never shown inline', () => {
    expect(claimedType('Video/MP4; codecs=x', 'video')).toBe('video/mp4');
    expect(claimedType('text/html', 'audio')).toBe('audio/mpeg');
    expect(['image/png', 'image/svg+xml', 'application/octet-stream'].map(isShownInline)).toEqual([true, false, false]);
    expect(extensionOf('text/html')).toBe('bin');
  });
});

describe('a part of a file', () => {
  test.each([
    ['bytes=0-9', { start: 0, end: 9 }],
    ['bytes=90-', { start: 90, end: 99 }],
    ['bytes=-10', { start: 90, end: 99 }],
    ['bytes=-200', { start: 0, end: 99 }],
    ['bytes=50-500', { start: 50, end: 99 }],
    ['bytes=100-', 'outside'],
    ['bytes=-0', 'outside'],
    ['bytes=9-0', 'whole'],
    ['bytes=0-1,5-6', 'whole'],
    ['bytes=a-b', 'whole'],
    ['items=0-9', 'whole'],
    ['', 'whole'],
  ] as const)('%j of 100 bytes', (header, part) => {
    expect(rangeWithin(singleRange(header), 100)).toEqual(part);
  });
});
