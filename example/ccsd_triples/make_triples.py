#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes what the triples energy of CCSD(T) needs for one water molecule, in spin orbitals.

    make_triples.py [FILE]            (default: water_631g.kct; needs PySCF)

RHF and CCSD, all electrons correlated, in the 6-31G basis; 10 occupied (h) and 16 virtual (p)
spin orbitals. Spin orbitals: alpha first, then beta, each by ascending orbital energy.

The file is little-endian. Header, 64 bytes:
    offset  0  char[8]  magic "KCTRIPLE"
            8  uint32   version, 1
           12  uint32   order of the tensors in memory: 0, the first index is the fastest
           16  uint32   number of occupied spin orbitals, nh
           20  uint32   number of virtual spin orbitals, np
           24  uint32   how many of the occupied are alpha (these come first)
           28  uint32   how many of the virtual are alpha (these come first)
           32  float64  Hartree-Fock energy, nuclear repulsion included
           40  float64  CCSD correlation energy
           48  float64  E[T], the triples energy of connected doubles only
           56  float64  E(T), the triples energy with the singles
then float64 arrays without gaps, all in Hartree units:
    eh   [nh]           orbital energies, occupied
    ep   [np]           orbital energies, virtual
    t1   [p,h]          = t(h; p)
    t2p  [p7,pa,hb,hc]  = t(hb,hc; p7,pa)
    v2p  [p7,ha,pc,pb]  = <p7 ha || pc pb>
    t2h  [h7,pb,pc,ha]  = t(h7,ha; pb,pc)
    v2h  [hc,hb,pa,h7]  = <hc hb || pa h7>
    v2s  [hc,hb,pc,pb]  = <hc hb || pc pb>
t(i,j; a,b) is the CCSD amplitude that excites i to a and j to b, antisymmetric in i,j and in a,b;
<pq||rs> = (pr|qs) - (ps|qr). The first order of the CCSD amplitudes then is
t(i,j; a,b) = <ij||ab> / (e_i + e_j - e_a - e_b). t2p and t2h hold the same amplitudes twice.
In this convention one sign a pair (p_a; h_a) serves sd1, sd2 and the singles alike.
"""
import os
import struct
import sys

os.environ.setdefault("OMP_NUM_THREADS", "1")  # one order of summation: the same file each time

import numpy as np
from pyscf import ao2mo, cc, gto, scf
from pyscf.cc import ccsd_t, gccsd, gccsd_t, uccsd_t

GEOMETRY = """
O  0.000   0.000  0.000
H  0.000  -0.757  0.587
H  0.000   0.757  0.587
"""  # in Angstrom


def mean_field():
    molecule = gto.M(atom=GEOMETRY, basis="6-31g", verbose=0)
    rhf = scf.RHF(molecule)
    rhf.conv_tol, rhf.conv_tol_grad, rhf.max_cycle = 1e-14, 1e-10, 200
    rhf.kernel()
    assert rhf.converged
    # Orbitals come with an arbitrary sign: the first coefficient of some size is to be positive.
    c = rhf.mo_coeff
    for column in c.T:
        if column[np.argmax(np.abs(column) > 0.1 * np.abs(column).max())] < 0:
            column *= -1
    return rhf


def coupled_cluster(solver):
    solver.conv_tol, solver.conv_tol_normt, solver.max_cycle = 1e-12, 1e-10, 500
    solver.verbose = 0
    solver.kernel()
    assert solver.converged
    return solver


def in_spin_orbitals(rhf, rccsd):
    """Amplitudes t1[h,p], t2[h,h,p,p], integrals <pq||rs> and energies, alpha first, then beta."""
    nmo = rhf.mo_coeff.shape[1]
    nocc, nvir = rccsd.t1.shape

    eri = ao2mo.restore(1, ao2mo.full(rhf.mol, rhf.mo_coeff), nmo)  # (pr|qs) as eri[p,r,q,s]
    order = np.r_[0:nocc, 0:nocc, nocc:nmo, nocc:nmo]
    spin = np.repeat([0, 1, 0, 1], [nocc, nocc, nvir, nvir])
    same = spin[:, None] == spin[None, :]
    big = eri[np.ix_(order, order, order, order)] * same[:, :, None, None] * same[None, None]
    direct = big.transpose(0, 2, 1, 3)
    v = direct - direct.transpose(0, 1, 3, 2)

    t1 = np.zeros((2 * nocc, 2 * nvir))
    t2 = np.zeros((2 * nocc, 2 * nocc, 2 * nvir, 2 * nvir))
    ab = rccsd.t2
    aa = ab - ab.transpose(1, 0, 2, 3)
    h, p = [slice(0, nocc), slice(nocc, None)], [slice(0, nvir), slice(nvir, None)]
    for s in (0, 1):
        o = 1 - s
        t1[h[s], p[s]] = rccsd.t1
        t2[h[s], h[s], p[s], p[s]] = aa
        t2[h[s], h[o], p[s], p[o]] = ab
        t2[h[s], h[o], p[o], p[s]] = -ab.transpose(0, 1, 3, 2)
    return t1, t2, v, rhf.mo_energy[order]


def triples(kernel, solver, eris, t1, t2):
    """E[T] and E(T) of one of PySCF's codes; without t1 only the connected doubles are left."""
    none = tuple(0 * x for x in t1) if isinstance(t1, tuple) else 0 * t1
    return [kernel(solver, eris, singles, t2, verbose=0) for singles in (none, t1)]


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else "water_631g.kct"
    rhf = mean_field()
    rccsd = coupled_cluster(cc.RCCSD(rhf))
    t1, t2, v, e = in_spin_orbitals(rhf, rccsd)
    nh, np_ = t1.shape
    h, p = slice(0, nh), slice(nh, None)

    energies = triples(ccsd_t.kernel, rccsd, rccsd.ao2mo(), rccsd.t1, rccsd.t2)
    print("E(HF)           %.15f" % rhf.e_tot)
    print("E(CCSD) corr.   %.15f" % rccsd.e_corr)
    print("E[T]            %.15f" % energies[0])
    print("E(T)            %.15f" % energies[1])

    # PySCF's spin-orbital code on the tensors that are written, and its own runs without spin symmetry.
    eris = gccsd._PhysicistsERIs()
    eris.ovvv, eris.ooov, eris.oovv = v[h, p, p, p], v[h, h, h, p], v[h, h, p, p]
    eris.fock, eris.mo_energy = np.diag(e), e
    ours = triples(gccsd_t.kernel, None, eris, t1, t2)
    uccsd = coupled_cluster(cc.UCCSD(rhf.to_uhf()))
    u = triples(uccsd_t.kernel, uccsd, uccsd.ao2mo(), uccsd.t1, uccsd.t2)
    gccsd_ = coupled_cluster(cc.GCCSD(rhf.to_ghf()))
    g = triples(gccsd_t.kernel, gccsd_, gccsd_.ao2mo(), gccsd_.t1, gccsd_.t2)
    for name, other in (("gccsd_t, these tensors", ours), ("UCCSD and uccsd_t", u), ("GCCSD and gccsd_t", g)):
        off = np.subtract(other, energies)
        print("%-24s E[T] %+.1e  E(T) %+.1e" % (name, *off))
        assert np.abs(off).max() < 1e-10

    tensors = [
        e[h], e[p],
        t1.transpose(1, 0),                # t1[p,h]
        t2.transpose(2, 3, 0, 1),          # t2p[p7,pa,hb,hc]
        v[p, h, p, p],                     # v2p[p7,ha,pc,pb]
        t2.transpose(0, 2, 3, 1),          # t2h[h7,pb,pc,ha]
        v[h, h, p, h],                     # v2h[hc,hb,pa,h7]
        v[h, h, p, p],                     # v2s[hc,hb,pc,pb]
    ]
    with open(path, "wb") as out:
        out.write(struct.pack("<8s6I4d", b"KCTRIPLE", 1, 0, nh, np_, nh // 2, np_ // 2,
                              rhf.e_tot, rccsd.e_corr, *energies))
        for x in tensors:
            out.write((x + 0.0).astype("<f8").tobytes(order="F"))
    print("%s: %d bytes" % (path, os.path.getsize(path)))


if __name__ == "__main__":
    main()
