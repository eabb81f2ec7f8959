// fatfs.mjs - the real ChaN FatFs on an image file, counting what it writes
//
//   node fatfs.mjs MODULE-DIR IMAGE append PATH FILE CHUNK
//   node fatfs.mjs MODULE-DIR IMAGE read PATH
//
// append opens PATH with FA_OPEN_APPEND, writes FILE's bytes CHUNK at a time
// and closes; read hashes PATH's bytes. Prints one JSON line: the sectors
// written by region (boot, fat, root, data), the FRESULT of the first call
// that failed (0 = none) and, for read, size and sha256.

import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import { pathToFileURL } from 'node:url';

const [moduleDir, image, command, path, file, chunk] = process.argv.slice(2);
const FatFs = await import(
	pathToFileURL(`${moduleDir}/node_modules/js-fatfs/dist/fatfs.js`));

const fd = fs.openSync(image, 'r+');
const boot = Buffer.alloc(512);
fs.readSync(fd, boot, 0, 512, 0);
const sectorSize = boot.readUInt16LE(11);
const reserved = boot.readUInt16LE(14);
const fatSize = boot.readUInt16LE(22) || boot.readUInt32LE(36);
const fatEnd = reserved + boot[16] * fatSize;
const rootEnd = fatEnd +
	Math.ceil(boot.readUInt16LE(17) * 32 / sectorSize);
const written = { boot: 0, fat: 0, root: 0, data: 0 };

function region(sector)
{
	if (sector < reserved)
		return 'boot';
	if (sector < fatEnd)
		return 'fat';
	return sector < rootEnd ? 'root' : 'data';
}

const disk = {
	initialize: () => 0,
	status: () => 0,
	read(ff, pdrv, buff, sector, count) {
		const want = count * sectorSize;
		const got = fs.readSync(fd, ff.HEAPU8, buff, want,
			sector * sectorSize);
		return got === want ? FatFs.RES_OK : FatFs.RES_ERROR;
	},
	write(ff, pdrv, buff, sector, count) {
		for (let i = 0; i < count; i++)
			written[region(sector + i)]++;
		fs.writeSync(fd, ff.HEAPU8, buff, count * sectorSize,
			sector * sectorSize);
		return FatFs.RES_OK;
	},
	ioctl(ff, pdrv, cmd, buff) {
		if (cmd === FatFs.CTRL_SYNC)
			return FatFs.RES_OK;
		if (cmd === FatFs.GET_SECTOR_SIZE) {
			ff.setValue(buff, sectorSize, 'i16');
			return FatFs.RES_OK;
		}
		return FatFs.RES_PARERR;
	},
};

class Failed extends Error {
	constructor(result) {
		super(`FRESULT ${result}`);
		this.result = result;
	}
}

function check(result)
{
	if (result !== FatFs.FR_OK)
		throw new Failed(result);
}

const ff = await FatFs.create({ diskio: disk });
const volume = ff.malloc(FatFs.sizeof_FATFS);
const fp = ff.malloc(FatFs.sizeof_FIL);
const buff = ff.malloc(65536);
const count = ff.malloc(4);

function append()
{
	const bytes = fs.readFileSync(file);
	const step = Math.min(Number(chunk), 65536);
	check(ff.f_open(fp, path, FatFs.FA_WRITE | FatFs.FA_OPEN_APPEND));
	for (let at = 0; at < bytes.length; at += step) {
		const part = bytes.subarray(at, at + step);
		ff.HEAPU8.set(part, buff);
		check(ff.f_write(fp, buff, part.length, count));
		if (ff.getValue(count, 'i32') !== part.length)
			throw new Failed('full');
	}
	check(ff.f_close(fp));
	return {};
}

function read()
{
	const hash = createHash('sha256');
	check(ff.f_open(fp, path, FatFs.FA_READ));
	const size = ff.f_size(fp);
	for (;;) {
		check(ff.f_read(fp, buff, 65536, count));
		const got = ff.getValue(count, 'i32');
		if (got === 0)
			break;
		hash.update(ff.HEAPU8.subarray(buff, buff + got));
	}
	check(ff.f_close(fp));
	return { size, sha256: hash.digest('hex') };
}

let answer = { result: 0 };
try {
	check(ff.f_mount(volume, '', 1));
	answer = { ...answer, ...(command === 'append' ? append() : read()) };
	check(ff.f_unmount(''));
} catch (why) {
	if (!(why instanceof Failed))
		throw why;
	answer.result = why.result;
}
console.log(JSON.stringify({ ...answer, written }));
